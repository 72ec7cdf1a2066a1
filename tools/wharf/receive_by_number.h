// What `wharf receive --deferred` and `--number` do: one call, printed, then settled.
//
// Used on the main thread.
#pragma once

#include <optional>
#include <string>

#include "tools/wharf/message_printer.h"
#include "tools/wharf/number_list.h"
#include "tools/wharf/settlement_verb.h"

namespace wharf::tool {

struct ByNumberOptions {
  std::string path;
  // Either these, deferred ones, or...
  Numbers deferred;
  // ...this one, which waits.
  std::optional<std::int64_t> number;
  // Of the session that they belong to; empty for none.
  std::string session_token;
  v1::ReceiveMode mode = v1::RECEIVE_MODE_PEEK_LOCK;
  std::optional<Verb> verb;
  VerbDetails details;
  PrintStyle style;
};

ExitCode ReceiveByNumber(Program& program, const ByNumberOptions& options);

}  // namespace wharf::tool
