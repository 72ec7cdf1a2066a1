// FollowedBook: the rules of access as this node's state has them, for its guard, while no shard
// here makes them: of a node that does not lead.
//
// It listens to what is applied, and passes that on; where rules changed, the book is read at the
// next look. Where a leadership begins its shard hands the guard each book, until that has ended.
// Any thread.
#pragma once

#include <atomic>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/access/guard.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/commit_log.h"
#include "storage/store.h"

namespace wharf {

class FollowedBook final : public CommitLog::ApplyListener {
 public:
  // How often to look: whoever was let in by a rule that is gone is found out soon after.
  static constexpr Duration kPace = std::chrono::milliseconds(200);

  // All of them outlive it.
  FollowedBook(const Store& store, access::Guard& guard, CommitLog::ApplyListener& next)
      : store_(store), guard_(guard), next_(next) {}

  // Hands the guard the book that the store has, if that may be another one than it has. An error:
  // a rule cannot be read.
  Status Look();
  // A shard hands books to the guard from now on; does so no more.
  void Pause();
  void GoOn();

  void OnApplying(const BatchNotes& notes) override { next_.OnApplying(notes); }
  void OnApplied(BatchNotes notes) override;

 private:
  const Store& store_;
  access::Guard& guard_;
  CommitLog::ApplyListener& next_;
  std::atomic<bool> is_changed_ = true;
  // Held while a book is read and handed over.
  Mutex mutex_;
  bool is_paused_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
