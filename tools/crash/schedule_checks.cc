#include "tools/crash/schedule_checks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

bool IsScheduled(const Sighting& sighting) { return sighting.message->state == State::kScheduled; }

// Every look at the message after it was enqueued.
std::vector<const SeenMessage*> Enqueued(const Story& story) {
  std::vector<const SeenMessage*> seen;
  for (const Holding& holding : story.holdings) seen.push_back(holding.delivery);
  for (const Sighting& sighting : story.sightings) {
    if (!IsScheduled(sighting)) seen.push_back(sighting.message);
  }
  return seen;
}

// From when on it is known to have been enqueued.
Tick EnqueuedSince(const Story& story) {
  Tick since = kNoTick;
  for (const Holding& holding : story.holdings) since = std::min(since, holding.delivery->at);
  for (const Sighting& sighting : story.sightings) {
    if (!IsScheduled(sighting)) since = std::min(since, sighting.end);
  }
  return since;
}

}  // namespace

void ScheduleChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void ScheduleChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (!story.IsScheduled()) continue;
    CheckNumbers(story);
    for (const SeenMessage* seen : Enqueued(story)) CheckTime(story, *seen);
    CheckCancels(story);
    CheckNotScheduledAgain(story);
  }
}

// Scheduled under the number of the answer, enqueued under one other number, which is higher; the
// same only if its time was over when it was sent.
void ScheduleChecks::CheckNumbers(const Story& story) {
  const bool is_numbered = story.sent->reply.answer == Answer::kOk;
  const std::int64_t scheduled = story.sent->sequence_number;
  for (const Sighting& sighting : story.sightings) {
    if (!is_numbered || !IsScheduled(sighting)) continue;
    if (sighting.message->sequence_number == scheduled) continue;
    Report(Rule::kAnswersHold, story,
           fmt::format("scheduled under number {}, acknowledged was {}",
                       sighting.message->sequence_number, scheduled));
  }
  const std::vector<const SeenMessage*> enqueued = Enqueued(story);
  for (const SeenMessage* seen : enqueued) {
    if (is_numbered && seen->sequence_number < scheduled) {
      Report(Rule::kOrder, story, "enqueued under a number below the one it was scheduled under");
    }
    if (seen->sequence_number == enqueued.front()->sequence_number) continue;
    return Report(Rule::kNoResurrection, story, "a scheduled message was enqueued twice");
  }
}

// Both instants are of the broker's clock.
void ScheduleChecks::CheckTime(const Story& story, const SeenMessage& seen) {
  if (seen.enqueued_at >= *story.sent->due) return;
  Report(Rule::kInTime, story,
         fmt::format("enqueued at {}, before its time", wharf::ToString(seen.enqueued_at)));
}

void ScheduleChecks::CheckCancels(const Story& story) {
  for (const CancelRecord* cancel : story.cancels) {
    if (cancel->is_ok()) CheckCancelled(story, *cancel);
    if (cancel->is_refused()) CheckRefused(story, *cancel);
  }
}

void ScheduleChecks::CheckCancelled(const Story& story, const CancelRecord& cancel) {
  if (!Enqueued(story).empty()) {
    return Report(Rule::kNoResurrection, story, "a cancelled message was enqueued");
  }
  for (const Sighting& sighting : story.sightings) {
    if (sighting.begin < cancel.end) continue;
    return Report(Rule::kNoResurrection, story, "a message is there after its cancel");
  }
}

// The broker said that no such message is scheduled.
void ScheduleChecks::CheckRefused(const Story& story, const CancelRecord& cancel) {
  if (cancel.reply.code != ErrorCode::kMessageNotFound) return;
  for (const Sighting& sighting : story.sightings) {
    if (!IsScheduled(sighting) || sighting.begin < cancel.end) continue;
    return Report(Rule::kAnswersHold, story, "a cancel did not find a message that is scheduled");
  }
}

void ScheduleChecks::CheckNotScheduledAgain(const Story& story) {
  const Tick enqueued = EnqueuedSince(story);
  for (const Sighting& sighting : story.sightings) {
    if (!IsScheduled(sighting) || sighting.begin < enqueued) continue;
    return Report(Rule::kNoResurrection, story, "a message is scheduled after it was enqueued");
  }
}

}  // namespace wharf::crash
