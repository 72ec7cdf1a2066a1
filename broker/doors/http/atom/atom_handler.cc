#include "broker/doors/http/atom/atom_handler.h"

#include <utility>

#include "broker/doors/http/atom/atom_call.h"
#include "broker/doors/http/atom/entity_operations.h"
#include "broker/doors/http/atom/rule_operations.h"

namespace wharf {
namespace {

using atom::AtomCall;
using atom::AtomCallPtr;
using Kind = atom::AtomPlace::Kind;

struct Verbs {
  void (*get)(const AtomCallPtr& call);
  void (*put)(const AtomCallPtr& call);
  void (*remove)(const AtomCallPtr& call);
};

void Do(const AtomCallPtr& call, const Verbs& verbs) {
  const std::string_view method = call->method();
  if (method == "GET" || method == "HEAD") return verbs.get(call);
  if (method == "PUT" && verbs.put != nullptr) return verbs.put(call);
  if (method == "DELETE" && verbs.remove != nullptr) return verbs.remove(call);
  call->RefuseMethod(verbs.put == nullptr ? "GET" : "GET, PUT, DELETE");
}

void GetNamespace(const AtomCallPtr& call) {
  call->Ask(GetNamespaceRequest(), [](AtomCall& self, const NamespaceInfo& info) {
    self.Entry(200, atom::NamespaceEntry(info.created_at, self.site()));
  });
}

}  // namespace

void AtomHandler::Handle(ServiceBusCallPtr call) {
  const auto atom_call = std::make_shared<AtomCall>(std::move(call));
  switch (atom_call->place().kind) {
    case Kind::kEntity:
    case Kind::kSubscription:
      return Do(atom_call, {atom::GetEntity, atom::PutEntity, atom::DeleteEntity});
    case Kind::kRule:
      return Do(atom_call, {atom::GetRule, atom::PutRule, atom::DeleteRule});
    case Kind::kQueues:
    case Kind::kTopics:
      return Do(atom_call, {atom::ListEntities, nullptr, nullptr});
    case Kind::kSubscriptions:
      return Do(atom_call, {atom::ListSubscriptions, nullptr, nullptr});
    case Kind::kRules:
      return Do(atom_call, {atom::ListRules, nullptr, nullptr});
    case Kind::kNamespace:
      return Do(atom_call, {GetNamespace, nullptr, nullptr});
    case Kind::kNothing:
      return atom_call->Fail(
          Status(ErrorCode::kMessagingEntityNotFound, "there is nothing at this path"));
  }
}

}  // namespace wharf
