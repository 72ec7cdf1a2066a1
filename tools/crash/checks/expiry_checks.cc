#include "tools/crash/checks/expiry_checks.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

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

}  // namespace

void ExpiryChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void ExpiryChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send == nullptr) continue;
    for (const Sighting& sighting : story.sightings) {
      if (sighting.source.lane == Lane::kDeadLetter) CheckReason(story, *sighting.message);
    }
    for (const Holding& holding : story.holdings) {
      if (holding.delivery->source.lane == Lane::kDeadLetter) {
        CheckReason(story, *holding.delivery);
      } else {
        CheckEnd(story, *holding.delivery);
      }
      if (book_.queue(story).time_to_live > Duration(0)) CheckHolding(story, holding);
    }
  }
}

// Fixed when it was enqueued.
void ExpiryChecks::CheckEnd(const Story& story, const SeenMessage& seen) {
  const Duration time_to_live = book_.queue(story).time_to_live;
  const bool is_right = time_to_live > Duration(0)
                            ? seen.expires_at == seen.enqueued_at + time_to_live
                            : !seen.expires_at;
  if (!is_right) Report(Rule::kAnswersHold, story, "it does not expire when it should");
}

// The lock and the end are both instants of the broker's clock.
void ExpiryChecks::CheckHolding(const Story& story, const Holding& holding) {
  const DeliveryRecord& delivery = *holding.delivery;
  if (delivery.mode != Mode::kPeekLock) return;
  const Timestamp end = delivery.enqueued_at + book_.queue(story).time_to_live;
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

void ExpiryChecks::CheckReason(const Story& story, const SeenMessage& seen) {
  const QueueRecord& queue = book_.queue(story);
  const bool can_expire = queue.time_to_live > Duration(0);
  if (seen.reason == kExpiredReason && !can_expire) {
    return Report(Rule::kAnswersHold, story, "expired, although it lives for ever");
  }
  const bool is_explained = seen.reason == kExpiredReason || MayBeDeadLettered(story, seen) ||
                            seen.delivery_count >= queue.max_delivery_count;
  if (can_expire && !is_explained) {
    Report(Rule::kAnswersHold, story, "in the dead-letter queue without a reason");
  }
}

}  // namespace wharf::crash
