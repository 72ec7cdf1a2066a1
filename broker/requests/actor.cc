#include "broker/requests/actor.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace wharf {
namespace {

std::string IdentityOf(const access::Permit& permit) {
  if (!permit.client.empty()) return permit.client;
  return permit.rule.empty() ? std::string() : permit.Owner();
}

// Whether it says "path#rule".
bool IsOwner(std::string_view identity, const access::Permit& permit) {
  return identity.size() == permit.path.size() + 1 + permit.rule.size() &&
         identity.starts_with(permit.path) && identity[permit.path.size()] == '#' &&
         identity.ends_with(permit.rule);
}

bool IsIdentityOf(std::string_view identity, const access::Permit& permit) {
  if (!permit.client.empty()) return identity == permit.client;
  return permit.rule.empty() ? identity.empty() : IsOwner(identity, permit);
}

}  // namespace

bool IsActor(const Actor& actor, const Caller& caller) {
  const bool is_nobody = caller.permit == nullptr;
  return actor.door == caller.door && actor.peer == caller.peer &&
         (is_nobody ? actor.identity.empty() : IsIdentityOf(actor.identity, *caller.permit));
}

ActorPtr ActorOf(const Caller& caller) {
  if (caller.door == Door::kNone && caller.peer.empty()) return nullptr;
  std::string identity = caller.permit == nullptr ? std::string() : IdentityOf(*caller.permit);
  return std::make_shared<const Actor>(Actor{caller.door, caller.peer, std::move(identity)});
}

}  // namespace wharf
