// From which session `wharf receive` receives, as its options say.
//
// Used on the main thread.
#pragma once

#include <optional>
#include <string>

#include "tools/wharf/program.h"

namespace wharf::tool {

struct GivenSession {
  std::optional<std::string> id;
  bool is_next = false;
  // Of a session that was accepted before.
  std::string token;
  bool is_many = false;
  client::ManySessions many;

  // Whether the receiver accepts what it receives from, and so releases it when it ends.
  bool is_accepted() const { return id || is_next || is_many; }
};

void AddSessionOptions(CLI::App& command, GivenSession& session);
// `wait`: for the next session.
client::SessionOption ToSessionOption(const GivenSession& session, Duration wait);

}  // namespace wharf::tool
