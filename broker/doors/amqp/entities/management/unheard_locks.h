// UnheardLocks: messages that are locked for answers which their client has not heard yet: the
// client does not know that it has them, so they go back without counting when it never will
// (LCK-14).
//
// Kept by a ManagementNode, and by what it asks of the broker, whose answer may come when the node
// is gone. Locks are added on the broker's thread; all else on the strand of the connection.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class UnheardLocks {
 public:
  // Of one answer; none: it has locked nothing.
  using Id = std::uint64_t;
  static constexpr Id kNone = 0;

  UnheardLocks(Requests& requests, std::string peer)
      : requests_(requests), peer_(std::move(peer)) {}

  // An answer is there. After the end its locks go back at once.
  Id Add(EntityRef entity, TokenList tokens);
  // Its client has it.
  void NoteHeard(Id id);
  // Nobody will have it.
  void Release(Id id);
  // Nobody will have any, now or later; while there is a broker.
  void End();

 private:
  struct Answer {
    EntityRef entity;
    TokenList tokens;
  };

  void GiveBack(const Answer& answer) const;

  Requests& requests_;
  const std::string peer_;

  Mutex mutex_;
  Id last_ ABSL_GUARDED_BY(mutex_) = kNone;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<Id, Answer> answers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::amqp
