#include "tests/power/power_history.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr Places kEverLocked = kLocked | (kLocked << kDeadShift);
constexpr Places kEverDelayed = kDelayed | (kDelayed << kDeadShift);

}  // namespace

Places PlaceOf(LaneKind lane, Standing standing) {
  switch (standing) {
    case Standing::kLocked:
      return InLane(lane, kLocked);
    case Standing::kDelayed:
      return InLane(lane, kDelayed);
    case Standing::kDeferred:
      return InLane(lane, kDeferred);
    case Standing::kFresh:
    case Standing::kReturned:
    case Standing::kQuarantined:
      break;
  }
  return InLane(lane, kWaiting);
}

std::string NameOf(const std::string& body) { return body.substr(0, body.find(':')); }

Known& PowerHistory::Add(const std::string& body) {
  Known& known = known_[body];
  known.ordinal = known_.size();
  return known;
}

void PowerHistory::Pin(const std::string& body, Places place) {
  Known& known = known_.at(body);
  known.places = place;
  known.held.reset();
  known.count.reset();
}

void PowerHistory::PinAll(Places from, Places place) {
  for (auto& [body, known] : known_) {
    if ((known.places & from) == 0) continue;
    if ((known.places & ~from) == 0) {
      Pin(body, place);
    } else {
      known.places = (known.places & ~from) | place;
      known.held.reset();
    }
  }
}

void PowerHistory::Spread(Timestamp now) {
  for (auto& [body, known] : known_) {
    if (known.places != kGone) SpreadOne(body, known, now);
  }
}

// Until no way leads on: requests whose answers were lost may have happened in any order.
void PowerHistory::SpreadOne(const std::string& body, Known& known, Timestamp now) const {
  for (Places before = 0; before != known.places;) {
    before = known.places;
    for (const auto* doubts : {&doubts_, &jobs_}) {
      for (const Doubt& doubt : *doubts) {
        const bool is_meant = doubt.body.empty() || doubt.body == body;
        const bool goes =
            is_meant && known.ordinal <= doubt.ordinal_max && (known.places & doubt.from) != 0;
        if (!goes) continue;
        // The lock that it may have had ends no later for that.
        const Timestamp before_it = (known.places & kEverLocked) != 0 ? known.locked_until : kNever;
        if ((doubt.to & kEverLocked) != 0) {
          known.locked_until = std::min(before_it, doubt.locked_until);
        }
        known.places |= doubt.to;
      }
    }
    known.places |= Next(known, now);
  }
}

// Where time alone may have taken it: SCH-3, RTY-2, LCK-3, MAX-2, STA-4, TTL-6, TTL-7.
Places PowerHistory::Next(const Known& known, Timestamp now) const {
  Places next = 0;
  if ((known.places & kScheduled) != 0 && known.activated_at <= now) next |= kWaiting;
  const bool was_locked = (known.places & kEverLocked) != 0 && known.locked_until <= now;
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const bool is_delayed = (known.places & InLane(lane, kDelayed)) != 0;
    if (is_delayed && known.delayed_until <= now) next |= InLane(lane, kWaiting);
    if (!was_locked || (known.places & InLane(lane, kLocked)) == 0) continue;
    next |= InLane(lane, kWaiting | kDeferred) | InLane(LaneKind::kDeadLetter, kWaiting);
  }
  const bool may_expire = (known.places & (kWaiting | kDelayed)) != 0 && known.expires_at <= now;
  return may_expire ? next | expired_to : next;
}

std::string PowerHistory::Settle(const std::map<std::string, Places>& seen) {
  std::string wrong = CheckBatches(seen);
  for (const auto& [body, place] : seen) {
    if (!known_.contains(body)) wrong += fmt::format("{} was never sent; ", NameOf(body));
  }
  for (auto& [body, known] : known_) {
    const auto found = seen.find(body);
    const Places place = found == seen.end() ? kGone : found->second;
    if ((known.places & place) == 0) {
      wrong += fmt::format("message {} may be in {:#x} and is in {:#x}; ", NameOf(body),
                           known.places, place);
    }
    if (known.places != place) known.count.reset();
    known.places = place;
    if ((place & kEverLocked) == 0) known.held.reset();
    if ((place & kEverDelayed) == 0) known.delayed_until = kNever;
  }
  doubts_.clear();
  return wrong;
}

// SND-5.
std::string PowerHistory::CheckBatches(const std::map<std::string, Places>& seen) {
  // A message that was taken again, by someone who did not hear of it, is not missing.
  const bool is_any_taken = std::any_of(doubts_.begin(), doubts_.end(), [](const Doubt& doubt) {
    return doubt.body.empty() && (doubt.from & kWaiting) != 0 && (doubt.to & kGone) != 0;
  });
  std::map<std::uint64_t, std::set<bool>> batches;
  for (auto& [body, known] : known_) {
    const std::uint64_t batch = std::exchange(known.batch, 0);
    if (batch != 0 && !is_any_taken) batches[batch].insert(seen.contains(body));
  }
  const bool in_part = std::any_of(batches.begin(), batches.end(),
                                   [](const auto& batch) { return batch.second.size() > 1; });
  return in_part ? "an atomic send was stored in part; " : "";
}

}  // namespace wharf
