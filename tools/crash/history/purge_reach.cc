#include "tools/crash/history/purge_reach.h"

#include <algorithm>

#include "tools/crash/history/schedule_times.h"

namespace wharf::crash {

PurgeReach::PurgeReach(const History& history)
    : history_(history), redrives_(RedriveSpans(history)) {
  for (const ReceiveRecord& receive : history.receives) {
    if (receive.is_unheard()) unheard_.push_back(&receive);
  }
}

bool PurgeReach::MayTake(const PurgeRecord& purge, const Story& story) const {
  if (purge.is_refused() || purge.source.queue != story.send->queue) return false;
  if (story.sent->reply.answer == Answer::kRefused || story.send->begin > purge.end) return false;
  if (story.LastSign() > purge.end) return false;
  return purge.source.lane == Lane::kMain ? MayBeInMainLane(purge, story)
                                          : MayBeDeadLettered(purge, story);
}

bool PurgeReach::MayBeInMainLane(const PurgeRecord& purge, const Story& story) const {
  if (!purge.with_scheduled && IsSurelyScheduledUntil(story, purge)) return false;
  return DeadLetteredBefore(purge, story) == nullptr;
}

// What nobody ever got cannot fail, unless by its age.
bool PurgeReach::MayBeDeadLettered(const PurgeRecord& purge, const Story& story) const {
  if (!story.holdings.empty() || history_.queues[story.send->queue].time_to_live > Duration(0)) {
    return true;
  }
  return DeadLetteredBefore(purge, story) != nullptr ||
         MayBeReceived({purge.source.queue, Lane::kMain}, story.send->begin, purge.end);
}

const Sign* PurgeReach::DeadLetteredBefore(const PurgeRecord& purge, const Story& story) const {
  const Sign* last = nullptr;
  for (const Sign& sign : story.signs) {
    if (sign.lane != Lane::kDeadLetter || sign.end > purge.begin) continue;
    if (last == nullptr || sign.begin > last->begin) last = &sign;
  }
  if (last == nullptr) return nullptr;
  const auto& redrives = redrives_[purge.source.queue];
  const bool may_be_back =
      std::any_of(redrives.begin(), redrives.end(),
                  [&](const RedriveSpan& span) { return span.Overlaps(last->begin, purge.end); });
  return may_be_back ? nullptr : last;
}

bool PurgeReach::SurelyTakes(const PurgeRecord& purge, const Story& story) const {
  if (!purge.is_ok() || purge.source.queue != story.send->queue) return false;
  if (purge.source.lane == Lane::kDeadLetter) {
    const Sign* dead_lettered = DeadLetteredBefore(purge, story);
    return dead_lettered != nullptr && IsUntouched(purge, story, dead_lettered->begin);
  }
  if (story.sent->reply.answer != Answer::kOk || story.send->end > purge.begin) return false;
  if (story.IsScheduled() && !purge.with_scheduled) return false;
  const bool can_leave = !story.cancels.empty() || !story.holdings.empty() ||
                         history_.queues[story.send->queue].time_to_live > Duration(0);
  return !can_leave && IsUntouched(purge, story, story.send->begin);
}

bool PurgeReach::IsUntouched(const PurgeRecord& purge, const Story& story, Tick since) const {
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->source.lane == purge.source.lane) return false;
  }
  for (const PurgeRecord& other : history_.purges) {
    const bool is_itself = other.begin == purge.begin;
    if (is_itself || other.is_refused() || other.source != purge.source) continue;
    if (other.begin < purge.end && other.end > since) return false;
  }
  return !MayBeReceived(purge.source, since, purge.end);
}

bool PurgeReach::MayBeReceived(const Source& source, Tick since, Tick until) const {
  return std::any_of(unheard_.begin(), unheard_.end(), [&](const ReceiveRecord* receive) {
    return receive->source == source && receive->begin < until && receive->end > since;
  });
}

}  // namespace wharf::crash
