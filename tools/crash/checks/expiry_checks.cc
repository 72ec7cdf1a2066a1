#include "tools/crash/checks/expiry_checks.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

// Since it was last sent back.
bool MayBeDeadLettered(const Story& story, const SeenMessage& seen) {
  return std::any_of(story.holdings.begin(), story.holdings.end(), [&](const Holding& holding) {
    return holding.delivery->redrives == seen.redrives &&
           (holding.Has(Verb::kDeadLetter, Answer::kOk) ||
            holding.Has(Verb::kDeadLetter, Answer::kUnknown));
  });
}

// Until what has expired is counted out, on a machine of the usual pace (runs/pace.h).
constexpr auto kSweepMax = std::chrono::duration<double>(2);

}  // namespace

ExpiryChecks::ExpiryChecks(const Storybook& book, Violations& violations)
    : book_(book), violations_(violations) {
  const History& history = book.history();
  for (const ReceiveRecord& receive : history.receives) {
    const bool matters = history.queues[receive.source.queue].expires_to_nothing;
    if (matters && MayHaveLost(history, receive)) unheard_.push_back(&receive);
  }
}

void ExpiryChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void ExpiryChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send == nullptr) continue;
    for (const Sighting& sighting : story.sightings) {
      if (sighting.source.lane == Lane::kDeadLetter) {
        CheckReason(story, *sighting.message);
      } else if (book_.queue(story).expires_to_nothing) {
        CheckSighting(story, sighting);
      }
    }
    for (const Holding& holding : story.holdings) {
      if (holding.delivery->source.lane == Lane::kDeadLetter) {
        CheckReason(story, *holding.delivery);
      } else {
        CheckEnd(story, *holding.delivery);
      }
      if (book_.TimeToLive(story) > Duration(0)) CheckHolding(story, holding);
    }
  }
}

// Fixed when it was enqueued.
void ExpiryChecks::CheckEnd(const Story& story, const SeenMessage& seen) {
  const Duration time_to_live = book_.TimeToLive(story);
  const bool is_right = time_to_live > Duration(0)
                            ? seen.expires_at == seen.enqueued_at + time_to_live
                            : !seen.expires_at;
  if (!is_right) Report(Rule::kAnswersHold, story, "it does not expire when it should");
}

// The lock and the end are both instants of the broker's clock.
void ExpiryChecks::CheckHolding(const Story& story, const Holding& holding) {
  const DeliveryRecord& delivery = *holding.delivery;
  if (delivery.mode != Mode::kPeekLock) return;
  const Timestamp end = delivery.enqueued_at + book_.TimeToLive(story);
  const bool is_main = delivery.source.lane == Lane::kMain;
  if (is_main && holding.locked_from >= end + delivery.rounding) {
    Report(Rule::kInTime, story,
           fmt::format("locked at {}, expired at {}", wharf::ToString(holding.locked_from),
                       wharf::ToString(end)));
  }
  if (!is_main && delivery.reason == kExpiredReason && holding.LatestStart() < end) {
    Report(Rule::kInTime, story,
           fmt::format("dead-lettered as expired before {}", wharf::ToString(end)));
  }
}

// Nobody sees what has expired for longer than a sweep takes, but what is locked or deferred.
void ExpiryChecks::CheckSighting(const Story& story, const Sighting& sighting) {
  const LifeRecord* life = LifeAt(book_.history(), sighting.begin);
  if (sighting.message->state == State::kDeferred || life == nullptr) return;
  if (sighting.begin > life->signal) return;
  const Duration patience = std::chrono::duration_cast<Duration>(kSweepMax * life->slowness);
  const Timestamp free_since = std::max(FreeSince(story, sighting), life->ready_at);
  if (sighting.began_at < free_since + patience) return;
  Report(Rule::kInTime, story,
         fmt::format("seen at {}, expired at {}", wharf::ToString(sighting.began_at),
                     wharf::ToString(*sighting.message->expires_at)));
}

Timestamp ExpiryChecks::FreeSince(const Story& story, const Sighting& sighting) const {
  const Duration lock_duration = book_.queue(story).lock_duration;
  Timestamp since = sighting.message->expires_at.value_or(sighting.began_at);
  const bool may_be_locked =
      std::any_of(unheard_.begin(), unheard_.end(), [&](const ReceiveRecord* receive) {
        return receive->source == sighting.source && receive->begin < sighting.begin &&
               receive->end > story.send->begin;
      });
  if (may_be_locked) since += lock_duration;
  for (const Holding& holding : story.holdings) {
    since = std::max(since, holding.locked_until);
    for (const RenewRecord* renew : holding.renews) {
      if (renew->is_unknown()) since = std::max(since, renew->ended_at + lock_duration);
    }
  }
  return since;
}

void ExpiryChecks::CheckReason(const Story& story, const SeenMessage& seen) {
  const QueueRecord& queue = book_.queue(story);
  const bool can_expire = queue.time_to_live > Duration(0);
  if (seen.reason == kExpiredReason && !can_expire) {
    return Report(Rule::kAnswersHold, story, "expired, although it lives for ever");
  }
  if (seen.reason == kExpiredReason && queue.expires_to_nothing) {
    return Report(Rule::kAnswersHold, story,
                  "expired, and is a dead letter although it is nothing");
  }
  const bool is_explained = seen.reason == kExpiredReason || MayBeDeadLettered(story, seen) ||
                            seen.delivery_count >= queue.max_delivery_count;
  if (can_expire && !is_explained) {
    Report(Rule::kAnswersHold, story, "in the dead-letter queue without a reason");
  }
}

}  // namespace wharf::crash
