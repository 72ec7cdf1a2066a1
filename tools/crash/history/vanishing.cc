#include "tools/crash/history/vanishing.h"

#include <algorithm>

namespace wharf::crash {
namespace {

// The last that began before this census; null: nobody is known to have had it by then.
const Holding* LastBefore(const Story& story, const CensusRecord& census) {
  const Holding* last = nullptr;
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->at < census.begin) last = &holding;
  }
  return last;
}

bool WasDeadLetter(const Story& story, const CensusRecord& census) {
  return std::any_of(story.signs.begin(), story.signs.end(), [&](const Sign& sign) {
    return sign.lane == Lane::kDeadLetter && sign.end < census.begin;
  });
}

// That nobody doubts, and in time: what is over when its lock ends, by whatever word, goes at once
// (TTL-8). Null: there is none.
const SettleRecord* DeferralOf(const Holding& holding, Timestamp end) {
  for (const SettleRecord* settle : holding.settles) {
    if (settle->is_refused()) continue;
    const bool is_deferral = settle->is_ok() && settle->verb == Verb::kDefer;
    return is_deferral && settle->ended_at + kClockMargin < end ? settle : nullptr;
  }
  return nullptr;
}

}  // namespace

Timestamp EarliestEnd(const Story& story, Duration time_to_live) {
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->expires_at) return *holding.delivery->expires_at;
  }
  for (const Sighting& sighting : story.sightings) {
    if (sighting.message->expires_at) return *sighting.message->expires_at;
  }
  return story.send->began_at + time_to_live;
}

Vanishing::Vanishing(const History& history) {
  const auto add = [&](QueueIndex queue, const std::vector<std::int64_t>& numbers,
                       const Operation& request) {
    if (!history.queues[queue].expires_to_nothing) return;
    for (const std::int64_t number : numbers) requests_[{queue, number}].push_back(&request);
  };
  for (const ReceiveRecord& receive : history.receives) {
    add(receive.source.queue, receive.numbers, receive);
  }
  for (const UndeferRecord& undefer : history.undefers) {
    add(undefer.queue, undefer.numbers, undefer);
  }
}

// Whoever asks for what has expired is refused, and has it dropped.
bool Vanishing::IsAskedFor(const DeliveryRecord& delivery, Tick since, Tick until) const {
  const auto found = requests_.find({delivery.source.queue, delivery.sequence_number});
  if (found == requests_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Operation* request) {
    return request->begin < until && request->end > since;
  });
}

// By what was done with it last, although its time is over.
bool Vanishing::IsKept(const CensusRecord& census, const Holding& last, Timestamp end) const {
  if (last.FirstSettle() > census.end) {
    return last.locked_until > census.ended_at + kClockMargin;
  }
  const SettleRecord* deferral = DeferralOf(last, end);
  return deferral != nullptr && deferral->end < census.begin &&
         !IsAskedFor(*last.delivery, deferral->begin, census.begin);
}

bool Vanishing::MayExplain(const CensusRecord& census, const Story& story,
                           Duration time_to_live) const {
  const Timestamp end = EarliestEnd(story, time_to_live);
  if (census.ended_at + kClockMargin < end) return false;
  if (WasDeadLetter(story, census)) return false;
  const Holding* last = LastBefore(story, census);
  return last == nullptr || !IsKept(census, *last, end);
}

}  // namespace wharf::crash
