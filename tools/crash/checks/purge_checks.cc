#include "tools/crash/checks/purge_checks.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

// A message enters each lane once, with its send, its time or a redrive. So what was in the lane
// before the purge is not there after it; what was scheduled then may be, if that was not asked
// for.
bool IsOfLane(const PurgeRecord& purge, const Sign& before) {
  if (purge.source.lane == Lane::kDeadLetter) return before.lane == Lane::kDeadLetter;
  return purge.with_scheduled || !before.is_scheduled;
}

bool IsStillThere(const PurgeRecord& purge, const Sign& before, const Sign& after) {
  if (before.end > purge.begin || after.begin < purge.end) return false;
  if (before.redrives != after.redrives || after.lane != purge.source.lane) return false;
  // Whoever is enqueued is not scheduled again: ScheduleChecks.
  if (after.is_scheduled && !before.is_scheduled) return false;
  return IsOfLane(purge, before);
}

// Completed, deleted or cancelled with an acknowledgement before this tick.
bool IsGoneBefore(const Story& story, Tick tick) {
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->mode == Mode::kReceiveAndDelete && holding.delivery->at < tick) {
      return true;
    }
    for (const SettleRecord* settle : holding.settles) {
      if (settle->verb == Verb::kComplete && settle->is_ok() && settle->end < tick) return true;
    }
  }
  return std::any_of(story.cancels.begin(), story.cancels.end(), [&](const CancelRecord* cancel) {
    return cancel->is_ok() && cancel->end < tick;
  });
}

}  // namespace

// Of a long run there are thousands of purges, and a million messages.
void PurgeChecks::Run() {
  std::vector<StoryList> of_queues(book_.history().queues.size());
  for (const auto& [id, story] : book_.stories()) {
    if (story.send != nullptr) of_queues[story.send->queue].push_back(&story);
  }
  for (const PurgeRecord& purge : book_.history().purges) {
    if (!purge.is_ok()) continue;
    const StoryList& sent = of_queues[purge.source.queue];
    for (const Story* story : sent) CheckTaken(purge, *story);
    CheckCount(purge, sent);
  }
}

void PurgeChecks::CheckTaken(const PurgeRecord& purge, const Story& story) {
  if (story.LastSign() < purge.end) return;
  for (const Sign& after : story.signs) {
    const bool is_there =
        std::any_of(story.signs.begin(), story.signs.end(),
                    [&](const Sign& before) { return IsStillThere(purge, before, after); });
    if (!is_there) continue;
    violations_.push_back(
        {Rule::kNoResurrection,
         fmt::format("a message is there at {} after the purge at {}", after.begin, purge.begin),
         story.id});
    return;
  }
}

void PurgeChecks::CheckCount(const PurgeRecord& purge, const StoryList& sent) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const Story* story : sent) {
    if (reach_.SurelyTakes(purge, *story)) ++least;
    if (reach_.MayTake(purge, *story) && !IsGoneBefore(*story, purge.begin)) ++most;
  }
  if (purge.purged_count >= least && purge.purged_count <= most) return;
  violations_.push_back({Rule::kExactCounters,
                         fmt::format("the purge of '{}' at {} says that it took {} messages, it "
                                     "was {} to {}",
                                     book_.history().queues[purge.source.queue].name, purge.begin,
                                     purge.purged_count, least, most)});
}

}  // namespace wharf::crash
