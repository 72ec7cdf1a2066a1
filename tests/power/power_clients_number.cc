// Messages that are named by their numbers, scheduled ones among them.

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/power/power_clients.h"

namespace wharf {

using std::chrono::seconds;

namespace {

constexpr Places kInBoth = 1 | (1 << kDeadShift);
constexpr Duration kLockMin = seconds(60);

Broker::Numbers One(std::uint64_t number) { return {SequenceNumber(number)}; }

}  // namespace

// A definite refusal is none of an error here: others ask for the same message at the same time.
// For the same reason it may be somewhere else by now, from where the request works as well.
void PowerClients::NoteAnswer(const Status& status, const Seen& seen, Places from, Places places) {
  --under_way_;
  NoteExpiry(seen.body);
  if (status.ok()) {
    history_.Pin(seen.body, places);
  } else if (status.outcome() == Outcome::kUnknown) {
    history_.NoteDoubt(
        {.body = seen.body, .from = from, .to = places, .locked_until = now() + kLockMin});
  }
}

// Whoever asks for a message whose time is over finds it expired, though it be deferred (TTL-14).
void PowerClients::NoteExpiry(const std::string& body) {
  Known& known = history_.at(body);
  const bool may_expire = (known.places & kMainLane & ~kLocked) != 0 && known.expires_at <= now();
  if (may_expire) known.places |= history_.expired_to;
}

void PowerClients::AskDelivery(const Seen& seen, bool is_deferred) {
  const bool is_delete = Below(4) == 0;
  const ReceiveMode mode = is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock;
  const Places from = is_deferred ? kDeferred : kWaiting | kDelayed;
  const auto answer = [this, seen, mode, is_delete,
                       from](const Result<std::vector<Delivered>>& received) {
    if (received.ok()) {
      --under_way_;
      return NoteDelivered(received->front(), seen.lane, mode, from);
    }
    NoteAnswer(received.status(), seen, InLane(seen.lane, from),
               is_delete ? kGone : InLane(seen.lane, kLocked));
  };
  if (is_deferred) {
    broker().ReceiveDeferred({PathOf(seen.lane), mode}, One(seen.number), answer);
  } else {
    broker().ReceiveOne({PathOf(seen.lane), mode}, SequenceNumber(seen.number), answer);
  }
}

bool PowerClients::ReceiveDeferred() {
  const Seen* seen = Any(kInBoth * kDeferred);
  if (seen != nullptr) AskDelivery(*seen, true);
  return seen != nullptr;
}

bool PowerClients::ReceiveOne() {
  const Seen* seen = Any(kInBoth * (kWaiting | kDelayed));
  if (seen != nullptr) AskDelivery(*seen, false);
  return seen != nullptr;
}

// One that has expired meanwhile goes, and the answer is the same.
bool PowerClients::Undefer() {
  const Seen* seen = Any(kInBoth * kDeferred);
  if (seen == nullptr) return false;
  broker().Undefer(PathOf(seen->lane), One(seen->number),
                   [this, seen = *seen](const Result<std::monostate>& done) {
                     const bool may_expire =
                         seen.lane == LaneKind::kMain && history_.at(seen.body).expires_at <= now();
                     NoteAnswer(
                         done.status(), seen, InLane(seen.lane, kDeferred),
                         InLane(seen.lane, kWaiting) | (may_expire ? history_.expired_to : 0));
                   });
  return true;
}

bool PowerClients::SettleOne() {
  const Seen* seen = Any(kInBoth * (kWaiting | kDelayed | kDeferred));
  if (seen == nullptr) return false;
  const bool is_complete = seen->lane == LaneKind::kDeadLetter || Below(2) == 0;
  const SettleVerb verb = is_complete ? SettleVerb::kComplete : SettleVerb::kDeadLetter;
  const Places after = is_complete ? kGone : InLane(LaneKind::kDeadLetter, kWaiting);
  broker().SettleOne(PathOf(seen->lane), SequenceNumber(seen->number), {.verb = verb},
                     [this, seen = *seen, after](const Result<std::monostate>& done) {
                       NoteAnswer(done.status(), seen,
                                  InLane(seen.lane, kWaiting | kDelayed | kDeferred), after);
                     });
  return true;
}

bool PowerClients::CancelScheduled() {
  const Seen* seen = Any(kScheduled);
  if (seen == nullptr) return false;
  broker().CancelScheduled(PathOf(LaneKind::kMain), One(seen->number),
                           [this, seen = *seen](const Result<std::monostate>& done) {
                             NoteAnswer(done.status(), seen, kScheduled, kGone);
                           });
  return true;
}

// Now and then to a time that is over, which activates it.
bool PowerClients::Reschedule() {
  const Seen* seen = Any(kScheduled);
  if (seen == nullptr) return false;
  const Timestamp time = now() + seconds(Below(60)) - seconds(10);
  broker().Reschedule(PathOf(LaneKind::kMain), One(seen->number), time,
                      [this, seen = *seen, time](const Result<std::monostate>& done) {
                        NoteAnswer(done.status(), seen, kScheduled,
                                   time <= now() ? kWaiting : kScheduled);
                        Known& known = history_.at(seen.body);
                        if (done.ok()) {
                          NoteTimes(seen.body, std::max(time, now()));
                          known.activated_at = time;
                          known.scheduled_for = time;
                        } else if (done.status().outcome() == Outcome::kUnknown) {
                          NoteTimes(seen.body, now());
                          known.activated_at = std::min(known.activated_at, time);
                          known.scheduled_for.reset();
                        }
                      });
  return true;
}

bool PowerClients::Activate() {
  const Seen* seen = Any(kScheduled);
  if (seen == nullptr) return false;
  broker().ActivateScheduled(PathOf(LaneKind::kMain), One(seen->number),
                             [this, seen = *seen](const Result<Broker::Numbers>& activated) {
                               NoteAnswer(activated.status(), seen, kScheduled, kWaiting);
                               const bool is_refused =
                                   !activated.ok() &&
                                   activated.status().outcome() == Outcome::kNotDone;
                               if (!is_refused) NoteTimes(seen.body, now());
                             });
  return true;
}

}  // namespace wharf
