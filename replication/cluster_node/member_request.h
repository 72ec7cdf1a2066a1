// MemberRequest: the change of members that somebody waits for; one at a time.
//
// It is asked on a leader, invites a node first if it adds one, waits until it can be proposed, and
// is done when it is applied; another change of the same member before that is not it. If
// leadership ends before that its outcome is unknown. Any thread; `done` is called on the thread
// that found out.
#pragma once

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "replication/core/raft_library.h"
#include "replication/not_leading.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class MemberRequest {
 public:
  using Done = absl::AnyInvocable<void(Status) &&>;

  // False, and `done` is still the caller's: another one is under way.
  bool Begin(RaftId node, Done& done) {
    MutexLock lock(mutex_);
    if (waiting_) return false;
    waiting_.emplace(Waiting{.node = node, .done = std::move(done)});
    return true;
  }

  // Somebody still waits for the change of this node.
  bool IsFor(RaftId node) {
    MutexLock lock(mutex_);
    return waiting_ && waiting_->node == node;
  }
  void OnProposed(RaftId node) {
    MutexLock lock(mutex_);
    if (waiting_ && waiting_->node == node) waiting_->is_proposed = true;
  }

  // The change of this node came to nothing.
  void Fail(RaftId node, const Status& why) {
    if (std::optional<Waiting> waiting = Take(node)) std::move(waiting->done)(why);
  }
  // A change of this node is applied.
  void OnApplied(RaftId node) {
    if (std::optional<Waiting> waiting = Take(node, /*is_proposed=*/true)) {
      std::move(waiting->done)(Status());
    }
  }
  // Whatever it is, it may be made or not.
  void OnLeadingEnded() {
    std::optional<Waiting> waiting = Take(std::nullopt);
    if (!waiting) return;
    std::move(waiting->done)(
        {ErrorCode::kServiceCommunicationProblem,
         "this node leads its cluster no more, and the change of members may be made or not: look "
         "at the status",
         Outcome::kUnknown});
  }

 private:
  struct Waiting {
    RaftId node = 0;
    Done done;
    bool is_proposed = false;
  };

  // If it is about this node, or any; and is proposed, if it has to be.
  std::optional<Waiting> Take(std::optional<RaftId> node, bool is_proposed = false) {
    MutexLock lock(mutex_);
    if (!waiting_ || (node && waiting_->node != *node)) return std::nullopt;
    if (is_proposed && !waiting_->is_proposed) return std::nullopt;
    return std::exchange(waiting_, std::nullopt);
  }

  Mutex mutex_;
  std::optional<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
