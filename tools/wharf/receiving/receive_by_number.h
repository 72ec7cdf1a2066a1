// What `wharf receive --deferred` and `--number` do: one call, whose messages are handed over.
//
// Used on the main thread.
#pragma once

#include <optional>
#include <string>

#include "tools/wharf/receiving/handover.h"
#include "tools/wharf/text/number_list.h"

namespace wharf::tool {

struct ByNumberOptions {
  std::string path;
  // Either these, deferred ones, or...
  Numbers deferred;
  // ...this one, which waits.
  std::optional<std::int64_t> number;
  // Of the session that they belong to; empty for none.
  std::string session_token;
  HandoverOptions handover;
};

ExitCode ReceiveByNumber(Program& program, const ByNumberOptions& options);

}  // namespace wharf::tool
