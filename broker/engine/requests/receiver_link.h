// ReceiverLink: what a door says to its receiver, on the way to the shard.
//
// What is said while the shard has not come to it yet is added up: a million grants wait as one
// number. Made by the ReceiveHandler; the door's side on any thread, the rest on the shard's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/core/queue/lock_table.h"
#include "broker/engine/delivery/dispatcher.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/attachments.h"
#include "storage/base/mutex.h"

namespace wharf {

// Grants and revocations in the order in which they came, as one revocation and a grant behind it:
// a revocation takes from what was granted just before it first.
class CreditChange {
 public:
  void Grant(const Credit& credit);
  void Revoke(const Credit& credit);

  const Credit& revoked() const { return revoked_; }
  const Credit& granted() const { return granted_; }
  bool revokes() const { return revoked_.messages > 0 || *revoked_.bytes > 0; }
  bool grants() const { return granted_.messages > 0 || !granted_.bytes || *granted_.bytes > 0; }

 private:
  Credit revoked_{0, std::uint64_t{0}};
  Credit granted_{0, std::uint64_t{0}};
};

class ReceiverLink final : public ReceiverHandle,
                           public std::enable_shared_from_this<ReceiverLink> {
 public:
  ReceiverLink(Tasks& tasks, const WorkerContext& context, Dispatcher& dispatcher)
      : tasks_(tasks), context_(context), dispatcher_(dispatcher) {}

  void Grant(const Credit& credit) override;
  void Revoke(const Credit& credit) override;
  void Drain() override;
  void Stop() override;
  void Detach() override;
  void NoteWritten(std::size_t messages, std::int64_t bytes) override;
  void DropBody(const BodyRef& body) override;

  // The receiver is attached; before the shard comes to anything that was said.
  void SetId(HolderId id) { id_ = id; }

 private:
  // What was said and not heard yet, in this order.
  struct Said {
    std::size_t written_messages = 0;
    std::int64_t written_bytes = 0;
    std::vector<BodyRef> dropped_bodies{};
    CreditChange credit{};
    bool drains = false;
    bool stops = false;
    bool detaches = false;
  };

  // Adds to what was said; the shard comes for it, once for all that it finds then. What it weighs
  // counts for how many a turn hears.
  template <typename Add>
  void Say(Add add, std::size_t weight = 1);
  void Hear(Turn& turn);
  void Hear(const CreditChange& credit, Timestamp now);
  void Touch();
  void NoteUse(Timestamp now);

  Tasks& tasks_;
  // The shard's.
  const WorkerContext context_;
  Dispatcher& dispatcher_;
  // Zero: it was not attached.
  HolderId id_;

  Mutex mutex_;
  Said said_ ABSL_GUARDED_BY(mutex_);
  bool is_on_its_way_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
