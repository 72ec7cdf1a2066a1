#include "broker/requests/actor.h"

#include <memory>
#include <string>
#include <utility>

namespace wharf {
namespace {

std::string IdentityOf(const access::Permit& permit) {
  if (!permit.client.empty()) return permit.client;
  return permit.rule.empty() ? std::string() : permit.Owner();
}

}  // namespace

ActorPtr ActorOf(const Caller& caller) {
  if (caller.door == Door::kNone && caller.peer.empty()) return nullptr;
  std::string identity = caller.permit == nullptr ? std::string() : IdentityOf(*caller.permit);
  return std::make_shared<const Actor>(Actor{caller.door, caller.peer, std::move(identity)});
}

}  // namespace wharf
