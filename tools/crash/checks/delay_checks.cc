#include "tools/crash/checks/delay_checks.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

// Until when the message must rest at least, if it is known to have been abandoned so. It was
// abandoned after it had been locked; but AMQP says until when, by the clock of its client.
Timestamp RestsUntil(const Holding& holding) {
  for (const SettleRecord* settle : holding.settles) {
    if (!settle->is_ok()) continue;
    const Timestamp said = settle->began_at - kClockMargin;
    const bool is_by_client = settle->hides_outcome && settle->delay > Duration(0);
    const Timestamp since =
        is_by_client ? std::min(holding.locked_from, said) : holding.locked_from;
    return since + settle->delay;
  }
  return holding.locked_from;
}

bool MayRestAfter(const Holding& holding) {
  return std::any_of(holding.settles.begin(), holding.settles.end(),
                     [](const SettleRecord* settle) {
                       return !settle->is_refused() && settle->delay > Duration(0);
                     });
}

bool IsOrderly(const Holding& holding) {
  return holding.delivery->source.lane == Lane::kMain &&
         holding.delivery->mode == Mode::kPeekLock && !holding.delivery->is_by_number;
}

}  // namespace

void DelayChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void DelayChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    for (std::size_t i = 1; i < story.holdings.size(); ++i) {
      CheckRest(story, story.holdings[i - 1], story.holdings[i]);
    }
    for (const Sighting& sighting : story.sightings) {
      if (sighting.message->available_at) CheckSighting(story, sighting);
    }
  }
}

// All instants are of the broker's clock, but where a client has said one.
void DelayChecks::CheckRest(const Story& story, const Holding& one, const Holding& next) {
  if (!IsOrderly(one) || !IsOrderly(next)) return;
  // It failed too often, or expired, and was sent back.
  if (one.delivery->redrives != next.delivery->redrives) return;
  Timestamp available_at = RestsUntil(one);
  for (const Sighting& sighting : story.sightings) {
    const bool is_between = sighting.begin > one.delivery->at && sighting.end < next.delivery->at;
    if (!is_between || !sighting.message->available_at) continue;
    // Nobody had it in between, as far as is known; but it may have been locked unheard.
    if (sighting.message->delivery_count != next.delivery->delivery_count) continue;
    available_at = std::max(available_at, *sighting.message->available_at);
  }
  if (next.LatestStart() >= Millisecond(available_at)) return;
  Report(Rule::kInTime, story,
         fmt::format("locked at {} although it rests until {}", wharf::ToString(next.locked_from),
                     wharf::ToString(available_at)));
}

void DelayChecks::CheckSighting(const Story& story, const Sighting& sighting) {
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->redrives != sighting.message->redrives) continue;
    if (holding.FirstSettle() < sighting.end && MayRestAfter(holding)) return;
  }
  Report(Rule::kAnswersHold, story, "a message rests although nobody asked for it");
}

}  // namespace wharf::crash
