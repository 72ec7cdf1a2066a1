#include "broker/doors/common/unheard.h"

#include <algorithm>
#include <utility>

namespace wharf {

// Whatever its client may do by now.
void ReleaseUnheard(Requests& requests, const Caller& caller, const EntityRef& entity,
                    const TokenList& tokens) {
  for (std::size_t begin = 0; begin < tokens.size(); begin += kItemsMax) {
    const std::size_t end = std::min(tokens.size(), begin + kItemsMax);
    TokenList part(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                   tokens.begin() + static_cast<std::ptrdiff_t>(end));
    requests.Ask(DoorItself(caller),
                 SettleRequest{entity, std::move(part), {.verb = SettleVerb::kRelease}},
                 [](const Result<SettleReceipt>&) {});
  }
}

void ReleaseUnheardSession(Requests& requests, const Caller& caller, const EntityRef& entity,
                           const LockToken& session) {
  requests.Ask(DoorItself(caller), ReleaseSessionRequest{entity, session},
               [](const Result<std::monostate>&) {});
}

}  // namespace wharf
