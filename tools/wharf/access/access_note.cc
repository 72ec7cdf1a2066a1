#include "tools/wharf/access/access_note.h"

#include "broker/access/token.h"

namespace wharf::tool {

void NoteIfAccessIsOff(Program& program) {
  const auto statistics = program.client().management().GetBrokerStatistics();
  if (!statistics.ok() || statistics->access_enabled() || program.is_json) return;
  program.err.Print(
      "access is off: from the broker's next start on clients must prove who they are\n");
}

std::string OwnRuleOf(const Program& program) {
  const auto& tokens = program.target().tokens;
  return tokens == nullptr ? std::string() : access::ClaimedRule(tokens->Token());
}

}  // namespace wharf::tool
