#include "tools/wharf/access/access_note.h"

#include "broker/access/token.h"

namespace wharf::tool {

void NoteIfAccessIsOff(Program& program) {
  const auto statistics = program.client().management().GetBrokerStatistics();
  // A broker of an older version tells neither.
  const bool is_told = statistics.ok() && statistics->max_top_level_entity_count() > 0;
  if (!is_told || statistics->access_enabled() || program.is_json) return;
  program.err.Print(
      "access is off: once the broker starts anew, or another node leads, clients must prove who "
      "they are, unless it is started with --access=off\n");
}

std::string OwnRuleOf(const Program& program) {
  const auto& tokens = program.target().tokens;
  return tokens == nullptr ? std::string() : access::ClaimedRule(tokens->Token());
}

}  // namespace wharf::tool
