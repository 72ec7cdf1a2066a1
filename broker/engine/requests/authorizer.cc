#include "broker/engine/requests/authorizer.h"

#include <string>

namespace wharf {

Asker Authorizer::AskerOf(const Caller& caller) const {
  if (guard_ == nullptr || caller.permit == nullptr) return {};
  return {.owner = caller.permit->Owner(),
          .sees_all = caller.owns_transaction ||
                      guard_->Check(caller.permit, access::Right::kManage, "").ok()};
}

Asker Authorizer::AskerAbout(const Caller& caller, const std::string& resource) const {
  if (guard_ == nullptr || caller.permit == nullptr) return {};
  return {.owner = caller.permit->Owner(),
          .sees_all = guard_->Check(caller.permit, access::Right::kManage, resource).ok()};
}

Status Authorizer::CheckForwarding(const Caller& caller, const QueueDescription* current,
                                   const QueueDescription& wanted) const {
  return CheckForwardRights(current, wanted, [&](access::Right right, const std::string& path) {
    Status allowed = guard_->Check(caller.permit, right, path);
    for (const access::PermitPtr& permit : caller.forward_permits) {
      if (allowed.ok()) break;
      if (guard_->Check(permit, right, path).ok()) allowed = Status();
    }
    return allowed;
  });
}

void Authorizer::NoteRefusal(const Caller& caller, const Status& refusal) const {
  guard_->NoteRefusal(refusal, caller.permit, caller.peer, ToString(caller.tracking_id));
}

void Authorizer::WatchForwarding(const Caller& caller, UpdateEntityRequest& request) const {
  request.edit = [this, caller, edit = std::move(request.edit)](
                     const EntityRecord& current) mutable -> Result<QueueDescription> {
    Result<QueueDescription> wanted = std::move(edit)(current);
    if (!wanted.ok()) return wanted;
    const Status allowed = CheckForwarding(caller, &current.description, *wanted);
    if (allowed.ok()) return wanted;
    NoteRefusal(caller, allowed);
    return allowed;
  };
}

}  // namespace wharf
