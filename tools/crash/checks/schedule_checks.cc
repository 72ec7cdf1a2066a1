#include "tools/crash/checks/schedule_checks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/history/schedule_times.h"

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
  for (const ActivateRecord* activation : story.activations) {
    if (activation->is_ok()) since = std::min(since, activation->end);
  }
  return since;
}

// The number that an activation told.
std::optional<std::int64_t> ActivatedNumber(const Story& story) {
  for (const ActivateRecord* activation : story.activations) {
    if (activation->is_ok()) return activation->sequence_number;
  }
  return std::nullopt;
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
    CheckDues(story);
    CheckCancels(story);
    CheckRequests(story, story.cancels);
    CheckRequests(story, story.moves);
    CheckRequests(story, story.activations);
    CheckNotScheduledAgain(story);
  }
}

// Scheduled under the number of the answer, enqueued under one other number, which is higher, that
// of the activation if there was one; the same only if its time was over when it was sent.
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
  const std::optional<std::int64_t> activated = ActivatedNumber(story);
  const SeenMessage* first = nullptr;
  for (const SeenMessage* seen : Enqueued(story)) {
    if (seen->redrives > 0) continue;
    if (activated && seen->sequence_number != *activated) {
      Report(Rule::kAnswersHold, story,
             fmt::format("enqueued under number {}, acknowledged was {}", seen->sequence_number,
                         *activated));
    }
    if (is_numbered && seen->sequence_number < scheduled) {
      Report(Rule::kOrder, story, "enqueued under a number below the one it was scheduled under");
    }
    if (first == nullptr) first = seen;
    if (seen->sequence_number == first->sequence_number) continue;
    return Report(Rule::kNoResurrection, story, "a scheduled message was enqueued twice");
  }
}

// Both instants are of the broker's clock.
void ScheduleChecks::CheckTime(const Story& story, const SeenMessage& seen) {
  if (seen.enqueued_at + seen.rounding >= Millisecond(EarliestEnqueue(story))) return;
  Report(Rule::kInTime, story,
         fmt::format("enqueued at {}, before its time", wharf::ToString(seen.enqueued_at)));
}

// Moved by whoever was acknowledged, and by nobody who was refused.
void ScheduleChecks::CheckDues(const Story& story) {
  for (const Sighting& sighting : story.sightings) {
    if (!IsScheduled(sighting) || !sighting.message->due) continue;
    const std::vector<Timestamp> dues = PossibleDues(story, sighting.begin, sighting.end);
    if (std::find(dues.begin(), dues.end(), *sighting.message->due) != dues.end()) continue;
    Report(Rule::kAnswersHold, story,
           fmt::format("it is due at {}, which is none of its times",
                       wharf::ToString(*sighting.message->due)));
  }
}

void ScheduleChecks::CheckCancels(const Story& story) {
  for (const CancelRecord* cancel : story.cancels) {
    if (cancel->is_ok()) CheckCancelled(story, *cancel);
  }
}

template <typename Request>
void ScheduleChecks::CheckRequests(const Story& story,
                                   const std::vector<const Request*>& requests) {
  for (const Request* request : requests) {
    if (request->is_ok()) CheckFound(story, *request);
    if (request->is_refused()) CheckRefused(story, *request);
  }
}

// What was found scheduled was neither enqueued nor cancelled before.
void ScheduleChecks::CheckFound(const Story& story, const Operation& request) {
  const bool was_enqueued = EnqueuedSince(story) < request.begin;
  const bool was_cancelled = std::any_of(
      story.cancels.begin(), story.cancels.end(),
      [&](const CancelRecord* cancel) { return cancel->is_ok() && cancel->end < request.begin; });
  if (!was_enqueued && !was_cancelled) return;
  Report(Rule::kNoResurrection, story,
         fmt::format("the request at {} found it scheduled, which it was not any more",
                     request.begin));
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
void ScheduleChecks::CheckRefused(const Story& story, const Operation& request) {
  if (request.reply.code != ErrorCode::kMessageNotFound) return;
  for (const Sighting& sighting : story.sightings) {
    if (!IsScheduled(sighting) || sighting.begin < request.end) continue;
    return Report(
        Rule::kAnswersHold, story,
        fmt::format("the request at {} did not find a message that is scheduled", request.begin));
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
