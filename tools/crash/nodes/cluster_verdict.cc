#include "tools/crash/nodes/cluster_verdict.h"

#include <algorithm>

#include <absl/strings/escaping.h>
#include <absl/strings/str_join.h>
#include <fmt/core.h>

namespace wharf::crash {

bool IsOfAll(const v1::VerifyStateResponse& said, std::size_t nodes) {
  if (said.under_way() || !said.trouble().empty()) return false;
  const auto compared =
      std::count_if(said.members().begin(), said.members().end(),
                    [](const v1::VerifiedMember& member) { return member.trouble().empty(); });
  return static_cast<std::size_t>(compared) == nodes;
}

std::string DifferenceIn(const v1::VerifyStateResponse& said) {
  if (!said.has_difference()) return {};
  const v1::StateDifference& found = said.difference();
  return fmt::format("the cluster says that {} {} in the row {} of '{}', as of entry {}",
                     absl::StrJoin(found.members(), ", "),
                     found.has_majority() ? "differ from the others" : "differ from each other",
                     absl::BytesToHexString(found.key()), found.table(), found.index());
}

}  // namespace wharf::crash
