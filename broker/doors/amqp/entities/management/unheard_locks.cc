#include "broker/doors/amqp/entities/management/unheard_locks.h"

#include <utility>

#include "broker/doors/common/unheard.h"

namespace wharf::amqp {

UnheardLocks::Id UnheardLocks::Add(EntityRef entity, TokenList tokens) {
  if (tokens.empty()) return kNone;
  Answer answer{.entity = std::move(entity), .tokens = std::move(tokens)};
  {
    MutexLock lock(mutex_);
    if (!is_over_) {
      answers_.emplace(++last_, std::move(answer));
      return last_;
    }
  }
  GiveBack(answer);
  return kNone;
}

void UnheardLocks::NoteHeard(Id id) {
  MutexLock lock(mutex_);
  answers_.erase(id);
}

void UnheardLocks::Release(Id id) {
  Answer answer;
  {
    MutexLock lock(mutex_);
    const auto found = answers_.find(id);
    if (found == answers_.end()) return;
    answer = std::move(found->second);
    answers_.erase(found);
  }
  GiveBack(answer);
}

void UnheardLocks::End() {
  absl::flat_hash_map<Id, Answer> unheard;
  {
    MutexLock lock(mutex_);
    is_over_ = true;
    unheard.swap(answers_);
  }
  for (const auto& [id, answer] : unheard) GiveBack(answer);
}

void UnheardLocks::GiveBack(const Answer& answer) const {
  ReleaseUnheard(requests_, {.peer = peer_, .door = Door::kAmqp, .tracking_id = NewTrackingId()},
                 answer.entity, answer.tokens);
}

}  // namespace wharf::amqp
