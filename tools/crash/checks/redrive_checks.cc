#include "tools/crash/checks/redrive_checks.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

bool HasEnded(const JobLookRecord& look) { return look.state != JobState::kRunning; }

}  // namespace

RedriveChecks::RedriveChecks(const Storybook& book, Violations& violations)
    : book_(book), violations_(violations), spans_(RedriveSpans(book.history())) {
  for (const JobLookRecord& look : book.history().job_looks) looks_[look.job].push_back(&look);
  for (auto& [job, looks] : looks_) {
    std::sort(looks.begin(), looks.end(),
              [](const auto* one, const auto* other) { return one->begin < other->begin; });
  }
}

void RedriveChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void RedriveChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send != nullptr) CheckStays(story);
  }
  for (const RedriveRecord& redrive : book_.history().redrives) {
    if (redrive.is_ok()) CheckJob(redrive);
  }
  for (QueueIndex queue = 0; queue < spans_.size(); ++queue) CheckTotal(queue);
}

// The first, in which it was sent, is always among them.
RedriveChecks::Stays RedriveChecks::StaysOf(const Story& story) {
  Stays stays;
  stays[0].last = story.send->begin;
  for (const Sign& sign : story.signs) {
    Stay& stay = stays[sign.redrives];
    stay.first = std::min(stay.first, sign.end);
    stay.last = std::max(stay.last, sign.begin);
  }
  for (const Holding& holding : story.holdings) {
    stays[holding.delivery->redrives].seen.push_back(holding.delivery);
  }
  for (const Sighting& sighting : story.sightings) {
    stays[sighting.message->redrives].seen.push_back(sighting.message);
  }
  return stays;
}

void RedriveChecks::CheckStays(const Story& story) {
  const Stays stays = StaysOf(story);
  for (auto to = std::next(stays.begin()); to != stays.end(); ++to) {
    CheckMove(story, *std::prev(to), *to);
  }
  CheckNumbers(story, stays);
  for (const Holding& holding : story.holdings) {
    const DeliveryRecord& delivery = *holding.delivery;
    if (delivery.source.lane == Lane::kDeadLetter || delivery.reason.empty()) continue;
    Report(Rule::kAnswersHold, story, "it still says why it was dead-lettered");
  }
}

// A job looks at each message once, so each redrive is another one's.
void RedriveChecks::CheckMove(const Story& story, const Stays::value_type& from,
                              const Stays::value_type& to) {
  if (to.second.first < from.second.last) {
    return Report(Rule::kOnePlace, story,
                  fmt::format("it is in its old place at {}, and was sent back before {}",
                              from.second.last, to.second.first));
  }
  const auto& spans = spans_[story.send->queue];
  const auto jobs = std::count_if(spans.begin(), spans.end(), [&](const RedriveSpan& span) {
    return span.Overlaps(from.second.last, to.second.first);
  });
  if (to.first - from.first <= jobs) return;
  Report(Rule::kAnswersHold, story,
         fmt::format("sent back {} times between {} and {}, by {} jobs", to.first - from.first,
                     from.second.last, to.second.first, jobs));
}

// One number in each stay, higher than the one before. That of the first stay is the business of
// StoryChecks and ScheduleChecks.
void RedriveChecks::CheckNumbers(const Story& story, const Stays& stays) {
  std::int64_t highest = 0;
  for (const auto& [redrives, stay] : stays) {
    const std::int64_t before = highest;
    for (const SeenMessage* seen : stay.seen) {
      highest = std::max(highest, seen->sequence_number);
      if (redrives == 0) continue;
      if (seen->sequence_number != stay.seen.front()->sequence_number) {
        return Report(Rule::kOnePlace, story, "one redrive gave it two numbers");
      }
      if (seen->sequence_number <= before) {
        return Report(Rule::kOrder, story, "sent back under a number that is not higher");
      }
    }
  }
}

void RedriveChecks::CheckJob(const RedriveRecord& redrive) {
  const auto found = looks_.find(redrive.job);
  if (found == looks_.end()) return;
  const JobLookRecord* before = nullptr;
  for (const JobLookRecord* look : found->second) {
    CheckLook(redrive, *look);
    if (!look->is_ok()) continue;
    if (before != nullptr && before->end < look->begin) CheckProgress(*before, *look);
    before = look;
  }
  if (before == nullptr || before->state != JobState::kCompleted) return;
  if (before->left_count == 0 && !redrive.is_partial) CheckNothingLeft(redrive);
}

// A job that was acknowledged is there, through every crash, and its counts fit together.
void RedriveChecks::CheckLook(const RedriveRecord& redrive, const JobLookRecord& look) {
  if (look.is_refused() && look.reply.code == ErrorCode::kMessagingEntityNotFound) {
    return Report(Rule::kNothingLost, fmt::format("job {} is lost", look.job));
  }
  if (!look.is_ok()) return;
  if (look.state == JobState::kFailed) {
    Report(Rule::kAnswersHold, fmt::format("job {} failed", look.job));
  }
  const bool is_exact = look.done_count + look.left_count == look.matched_count &&
                        (redrive.is_partial ? look.matched_count <= look.examined_count
                                            : look.matched_count == look.examined_count);
  if (is_exact) return;
  Report(Rule::kExactCounters,
         fmt::format("job {} says it looked at {}, {} of them its own, moved {}, left {}", look.job,
                     look.examined_count, look.matched_count, look.done_count, look.left_count));
}

// What it has done stays done; one that has ended does nothing more.
void RedriveChecks::CheckProgress(const JobLookRecord& before, const JobLookRecord& after) {
  const bool is_same = after.state == before.state && after.done_count == before.done_count &&
                       after.examined_count == before.examined_count;
  const bool is_further = after.done_count >= before.done_count &&
                          after.left_count >= before.left_count &&
                          after.examined_count >= before.examined_count;
  if (HasEnded(before) ? is_same : is_further) return;
  Report(Rule::kAnswersHold,
         fmt::format("job {} had moved {} of {} messages at {}, and {} of {} at {}", before.job,
                     before.done_count, before.examined_count, before.end, after.done_count,
                     after.examined_count, after.begin));
}

// It was there when the job began, and is there still when the job has ended and left nothing.
void RedriveChecks::CheckNothingLeft(const RedriveRecord& redrive) {
  const auto& spans = spans_[redrive.queue];
  const auto span = std::find_if(spans.begin(), spans.end(),
                                 [&](const RedriveSpan& one) { return one.redrive == &redrive; });
  const auto is_left = [&](const Sign& before, const Sign& after) {
    return before.lane == Lane::kDeadLetter && after.lane == Lane::kDeadLetter &&
           before.redrives == after.redrives && before.end < redrive.begin &&
           after.begin > span->end;
  };
  for (const auto& [id, story] : book_.stories()) {
    if (story.send == nullptr || story.send->queue != redrive.queue) continue;
    for (const Sign& before : story.signs) {
      const bool is_there = std::any_of(story.signs.begin(), story.signs.end(),
                                        [&](const Sign& after) { return is_left(before, after); });
      if (!is_there) continue;
      Report(Rule::kAnswersHold, story, fmt::format("job {} left it behind", redrive.job));
      break;
    }
  }
}

// As many messages were sent back as the jobs say.
void RedriveChecks::CheckTotal(QueueIndex queue) {
  std::int64_t told = 0;
  for (const RedriveSpan& span : spans_[queue]) {
    if (span.end == kNoTick) return;
    const auto& looks = looks_.at(span.redrive->job);
    const auto last = std::find_if(looks.rbegin(), looks.rend(),
                                   [](const JobLookRecord* look) { return look->is_ok(); });
    told += (*last)->done_count;
  }
  std::int64_t moved = 0;
  for (const auto& [id, story] : book_.stories()) {
    if (story.send != nullptr && story.send->queue == queue)
      moved += StaysOf(story).rbegin()->first;
  }
  if (moved == told || (moved < told && !IsAllSeen(queue))) return;
  Report(Rule::kExactCounters, fmt::format("the jobs of '{}' sent {} messages back, they say {}",
                                           book_.history().queues[queue].name, moved, told));
}

// Whether everything in it was received in the end, and nothing purged.
bool RedriveChecks::IsAllSeen(QueueIndex queue) const {
  const History& history = book_.history();
  if (history.queues[queue].is_consumed) return false;
  const bool is_purged = std::any_of(
      history.purges.begin(), history.purges.end(),
      [&](const PurgeRecord& purge) { return purge.source.queue == queue && !purge.is_refused(); });
  if (is_purged) return false;
  const auto last = std::find_if(history.censuses.rbegin(), history.censuses.rend(),
                                 [&](const CensusRecord& census) { return census.queue == queue; });
  return last != history.censuses.rend() && last->total_count == 0;
}

}  // namespace wharf::crash
