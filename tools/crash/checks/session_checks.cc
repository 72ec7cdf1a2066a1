#include "tools/crash/checks/session_checks.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

// Messages of a delivery are completed with a state, too, and may have been settled before.
bool MayHaveVoidTokens(const SessionUseRecord& use, const History& history) {
  return std::any_of(history.settles.begin(), history.settles.end(),
                     [&](const SettleRecord& settle) {
                       return settle.begin < use.begin && !settle.is_refused() &&
                              std::find(use.completes.begin(), use.completes.end(), settle.token) !=
                                  use.completes.end();
                     });
}

// A link of another life holds nothing.
bool IsOfDeadLink(const SessionAcceptRecord& accept, const SessionAcceptRecord& refused,
                  const History& history) {
  return accept.is_of_link && LifeAt(history, accept.begin) != LifeAt(history, refused.begin);
}

// Whether someone may hold the session because of this accept when the other one is refused.
bool MayOccupy(const SessionAcceptRecord& accept, const SessionLock* lock,
               const SessionAcceptRecord& refused, const History& history) {
  const Duration lock_duration = history.queues[refused.queue].lock_duration;
  if (IsOfDeadLink(accept, refused, history)) return false;
  if (accept.is_refused() || accept.queue != refused.queue || accept.begin > refused.end) {
    return false;
  }
  if (lock == nullptr) {
    return (accept.session.empty() || accept.session == refused.session) &&
           refused.began_at <= accept.ended_at + lock_duration + kClockMargin;
  }
  if (accept.session != refused.session) return false;
  Timestamp until = lock->until;
  for (const SessionUseRecord* use : lock->uses) {
    if (use->verb == SessionVerb::kRelease && use->is_ok() && use->end < refused.begin) {
      return false;
    }
    if (use->verb == SessionVerb::kLeave) return refused.began_at <= use->ended_at + kGoneMargin;
    if (use->verb == SessionVerb::kRenew && use->is_unknown()) {
      until = std::max(until, use->ended_at + lock_duration);
    }
  }
  return refused.began_at <= until + kClockMargin;
}

// A link that ends hears so, or goes, whether or not it still holds its session.
bool IsEndOfLink(const SessionLock& lock, const SessionUseRecord& use) {
  return lock.accept->is_of_link &&
         (use.verb == SessionVerb::kRelease || use.verb == SessionVerb::kLeave);
}

std::string_view NameOf(SessionVerb verb) {
  constexpr std::array<std::string_view, 5> kNames = {
      "a renewal", "a release", "a departure", "a look at its state", "a change of its state"};
  return kNames[static_cast<std::size_t>(verb)];
}

}  // namespace

void SessionChecks::Report(Rule rule, const SessionLock& lock, const std::string& what) {
  violations_.push_back(
      {rule, fmt::format("session '{}', accepted at {} until {}: {}", lock.accept->session,
                         lock.accept->end, wharf::ToString(lock.until), what)});
}

void SessionChecks::Run() {
  CheckTokens();
  for (const auto& [session, locks] : book_.session_locks().by_session()) {
    for (std::size_t i = 1; i < locks.size(); ++i) CheckNext(*locks[i - 1], *locks[i]);
    for (const SessionLock* lock : locks) {
      for (const SessionUseRecord* use : lock->uses) {
        if (use->is_refused() && MayHaveVoidTokens(*use, book_.history())) continue;
        if (use->is_ok() && IsEndOfLink(*lock, *use)) continue;
        CheckUse(*lock, *use);
      }
    }
  }
  CheckReceives();
  for (const SessionAcceptRecord& accept : book_.history().session_accepts) {
    if (accept.reply.code == ErrorCode::kSessionCannotBeLocked) CheckOccupied(accept);
  }
}

void SessionChecks::CheckTokens() {
  std::set<std::string_view> tokens;
  for (const SessionAcceptRecord& accept : book_.history().session_accepts) {
    if (!accept.is_ok() || tokens.insert(accept.token).second) continue;
    Report(Rule::kOneLock, *book_.session_locks().Find(accept.token),
           "its token was handed out twice");
  }
}

// Both instants are of the broker's clock.
void SessionChecks::CheckNext(const SessionLock& one, const SessionLock& next) {
  if (!one.MayBeReleasedBefore(next.accept->end) && next.from < Millisecond(one.until)) {
    Report(Rule::kOneLock, one,
           fmt::format("accepted again at {} although nobody had released it",
                       wharf::ToString(next.from)));
  }
  const auto check = [&](const Operation& use, std::string_view what) {
    if (!use.is_ok() || use.begin < next.accept->end) return;
    Report(
        Rule::kOneLock, one,
        fmt::format("{} {} worked at {} after it was accepted again, from {} to {}, at {} of the "
                    "broker's clock, which was {} before",
                    one.accept->is_of_link ? "for its link" : "for its token", what, use.begin,
                    next.accept->begin, next.accept->end, wharf::ToString(next.from),
                    wharf::ToString(one.from)));
  };
  for (const SessionUseRecord* use : one.uses) {
    if (!IsEndOfLink(one, *use)) check(*use, NameOf(use->verb));
  }
  for (const ReceiveRecord& receive : book_.history().receives) {
    if (receive.session_token == one.accept->token) check(receive, "a receive");
  }
}

void SessionChecks::CheckReceives() {
  for (const ReceiveRecord& receive : book_.history().receives) {
    const SessionLock* lock = book_.session_locks().Find(receive.session_token);
    if (lock != nullptr) CheckUse(*lock, receive);
  }
}

void SessionChecks::CheckUse(const SessionLock& lock, const Operation& use) {
  if (use.is_refused()) return CheckLost(lock, use);
  if (!use.is_ok()) return;
  if (!lock.MayHoldLonger() && use.began_at > lock.until + kClockMargin) {
    Report(Rule::kOneLock, lock, fmt::format("its token worked at {} after its end", use.begin));
  }
  for (const SessionUseRecord* other : lock.uses) {
    if (other->verb != SessionVerb::kRelease || !other->is_ok() || other->end > use.begin) continue;
    Report(Rule::kOneLock, lock,
           fmt::format("its token worked at {} after its release", use.begin));
  }
}

// A session lock survives a crash: its token works until its end (SES-24).
void SessionChecks::CheckLost(const SessionLock& lock, const Operation& refused) {
  if (refused.reply.code != ErrorCode::kSessionLockLost) return;
  // A broker that stops gives back what links hold before it has answered all.
  if (lock.left < refused.end) return;
  for (const SessionUseRecord* use : lock.uses) {
    const bool is_itself = use->begin == refused.begin;
    if (!is_itself && use->verb == SessionVerb::kRelease && !use->is_refused() &&
        use->begin < refused.end) {
      return;
    }
  }
  if (refused.ended_at + kClockMargin >= lock.KnownUntil(refused.begin)) return;
  Report(Rule::kAnswersHold, lock,
         fmt::format("its token was refused at {} before its end", refused.begin));
}

void SessionChecks::CheckOccupied(const SessionAcceptRecord& refused) {
  const History& history = book_.history();
  for (const SessionAcceptRecord& accept : history.session_accepts) {
    const SessionLock* lock = accept.is_ok() ? book_.session_locks().Find(accept.token) : nullptr;
    if (MayOccupy(accept, lock, refused, history)) return;
  }
  violations_.push_back(
      {Rule::kAnswersHold, fmt::format("at {} the session '{}' is held although nobody can hold it",
                                       refused.begin, refused.session)});
}

}  // namespace wharf::crash
