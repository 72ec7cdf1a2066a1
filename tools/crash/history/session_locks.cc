#include "tools/crash/history/session_locks.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

// By how much the clock of the run and that of the broker may differ.
constexpr Duration kClocksApart = std::chrono::seconds(1);

}  // namespace

bool SessionLock::MayHoldLonger() const {
  return std::any_of(uses.begin(), uses.end(), [](const SessionUseRecord* use) {
    return use->verb == SessionVerb::kRenew && use->is_unknown();
  });
}

Timestamp SessionLock::KnownUntil(Tick begin) const {
  Timestamp known = accept->locked_until;
  for (const SessionUseRecord* use : uses) {
    if (use->verb != SessionVerb::kRenew || !use->is_ok() || use->end > begin) continue;
    known = std::max(known, use->locked_until);
  }
  return known;
}

bool SessionLock::HasRelease(Answer answer) const {
  return std::any_of(uses.begin(), uses.end(), [&](const SessionUseRecord* use) {
    return use->verb == SessionVerb::kRelease && use->reply.answer == answer;
  });
}

bool SessionLock::IsReleasedLate() const {
  return std::any_of(uses.begin(), uses.end(), [this](const SessionUseRecord* use) {
    const bool is_by_link = use->verb == SessionVerb::kRelease && use->began_at != Timestamp();
    return is_by_link && use->began_at + kClocksApart >= until;
  });
}

bool SessionLock::MayBeReleasedBefore(Tick end) const {
  return left < end || std::any_of(uses.begin(), uses.end(), [&](const SessionUseRecord* use) {
           const bool gives_back =
               use->verb == SessionVerb::kRelease || use->verb == SessionVerb::kLeave;
           return gives_back && !use->is_refused() && use->begin < end;
         });
}

bool SessionLock::IsLeft() const {
  return left != kNoTick || std::any_of(uses.begin(), uses.end(), [](const SessionUseRecord* use) {
           return use->verb == SessionVerb::kLeave;
         });
}

SessionLocks::SessionLocks(const History& history) {
  for (const SessionAcceptRecord& accept : history.session_accepts) {
    if (!accept.is_ok()) continue;
    SessionLock& lock = by_token_[accept.token];
    lock.accept = &accept;
    lock.from = accept.locked_until - history.queues[accept.queue].lock_duration;
    const LifeRecord* const life = accept.is_of_link ? LifeAt(history, accept.begin) : nullptr;
    if (life != nullptr) lock.left = life->signal;
  }
  for (const SessionUseRecord& use : history.session_uses) {
    const auto found = by_token_.find(use.token);
    if (found != by_token_.end()) found->second.uses.push_back(&use);
  }
  for (auto& [token, lock] : by_token_) {
    lock.until = lock.KnownUntil(kNoTick);
    by_session_[{lock.accept->queue, lock.accept->session}].push_back(&lock);
  }
  for (auto& [session, locks] : by_session_) {
    std::sort(locks.begin(), locks.end(), [](const SessionLock* one, const SessionLock* other) {
      const Timestamp from = Millisecond(one->from);
      const Timestamp other_from = Millisecond(other->from);
      return std::tie(from, one->accept->end) < std::tie(other_from, other->accept->end);
    });
  }
}

const SessionLock* SessionLocks::Find(std::string_view token) const {
  const auto found = by_token_.find(token);
  return found == by_token_.end() ? nullptr : &found->second;
}

}  // namespace wharf::crash
