// Entrance: whether an entity takes messages, and how one enters: into its main lane, or out to the
// subscriptions of a topic.
//
// A topic is an entity whose entrance leads to an Outlet. Whatever enters comes this way: what is
// sent, what was scheduled, and what other entities give up. Owned by a Queue, used on the shard's
// thread.
#pragma once

#include <memory>

#include "broker/core/queue/lane.h"
#include "broker/core/queue/outlet.h"
#include "broker/core/queue/quota.h"

namespace wharf {

class Entrance {
 public:
  // All that it is made with outlives it.
  Entrance(const EntityRecord& record, Lane& main, const Quota& quota)
      : record_(record), main_(main), quota_(quota) {}

  // From now on it is that of a topic; `outlet` outlives it.
  void LeadTo(Outlet& outlet) { outlet_ = &outlet; }
  bool is_of_topic() const { return outlet_ != nullptr; }

  // Whether it takes anything: by its status, and by what it holds (QUO-1).
  Status Check() const;
  // Whether what it takes may go on to subscriptions, if it is that of a topic.
  Status CheckOutlet() const { return is_of_topic() ? outlet_->Check() : Status::Ok(); }
  // Whether anyone would take the message, where that is asked (TOP-3).
  Status CheckTaker(const Message& message, Timestamp now) const;

  // A message that was just accepted enters.
  void Enter(std::shared_ptr<StoredMessage> stored, Timestamp now, Changes& changes);
  // One that was somewhere before, as `published` says, enters a topic; whether its body has rows
  // is told here.
  void Publish(MessagePublished published, Timestamp now, Changes& changes);

 private:
  const EntityRecord& record_;
  Lane& main_;
  const Quota& quota_;
  // Null unless it is that of a topic.
  Outlet* outlet_ = nullptr;
};

}  // namespace wharf
