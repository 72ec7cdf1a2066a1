// Authorizer: whether a caller may ask what it asks: the first thing that the pipeline does with
// each request and each attachment, for every door.
//
// By the table of rights (requests/need.h) and what the caller has proven. A caller without the
// right hears so before anybody looks whether there is such an entity. Used on doors' threads, for
// updates also on the shard's.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "broker/access/guard.h"
#include "broker/core/operations/asker.h"
#include "broker/requests/caller.h"
#include "broker/requests/rights_for.h"

namespace wharf {

class Authorizer {
 public:
  // Null: nobody has to prove anything. It outlives this.
  explicit Authorizer(access::Guard* guard) : guard_(guard) {}

  template <typename Request>
  Status Allow(const Caller& caller, Request& request) const {
    if (guard_ == nullptr || caller.is_door_itself) return {};
    Status allowed = Check(caller, request);
    if (!allowed.ok()) {
      NoteRefusal(caller, allowed);
      return allowed;
    }
    if constexpr (std::is_same_v<Request, UpdateEntityRequest>) WatchForwarding(caller, request);
    return {};
  }

  // As whom it asks for what belongs to whoever began it.
  Asker AskerOf(const Caller& caller) const;
  // The same, where it is about one entity: who manages that sees what others do there.
  Asker AskerAbout(const Caller& caller, const std::string& resource) const;

 private:
  template <typename Request>
  Status Check(const Caller& caller, const Request& request) const {
    // A right is checked together with its permit.
    if (!kNeed<Request>.right) WHARF_RETURN_IF_ERROR(guard_->Check(caller.permit));
    WHARF_RETURN_IF_ERROR(CheckRights(request, [&](access::Right right, const std::string& path) {
      return guard_->Check(caller.permit, right, path);
    }));
    if constexpr (std::is_same_v<Request, CreateEntityRequest>) {
      return CheckForwarding(caller, nullptr, request.description);
    }
    return {};
  }
  // Who forwards has Manage on the target, too, by what it came with or by what it brought for
  // that (FWD-6).
  Status CheckForwarding(const Caller& caller, const QueueDescription* current,
                         const QueueDescription& wanted) const;
  void NoteRefusal(const Caller& caller, const Status& refusal) const;
  // What the edit makes of the entity is known when its turn comes.
  void WatchForwarding(const Caller& caller, UpdateEntityRequest& request) const;

  access::Guard* const guard_;
};

}  // namespace wharf
