#include "tools/crash/history/schedule_times.h"

#include <algorithm>

namespace wharf::crash {

// A move that was acknowledged found the message scheduled: the times before it are void.
std::vector<Timestamp> PossibleDues(const Story& story, Tick begin, Tick end) {
  std::vector<Timestamp> dues = {*story.sent->due};
  for (const MoveRecord* move : story.moves) {
    if (move->is_refused() || move->begin > end) continue;
    if (move->is_ok() && move->end < begin) dues.clear();
    dues.push_back(move->due);
  }
  return dues;
}

Timestamp EarliestEnqueue(const Story& story) {
  const std::vector<Timestamp> dues = PossibleDues(story, kNoTick, kNoTick);
  Timestamp earliest = *std::min_element(dues.begin(), dues.end());
  for (const ActivateRecord* activation : story.activations) {
    if (activation->is_refused()) continue;
    earliest = std::min(earliest, activation->began_at - kClockMargin);
  }
  return earliest;
}

bool IsSurelyScheduledUntil(const Story& story, const Operation& request) {
  if (!story.IsScheduled() || request.is_unknown()) return false;
  Timestamp due = *story.sent->due;
  for (const MoveRecord* move : story.moves) {
    if (!move->is_refused()) due = std::min(due, move->due);
  }
  for (const ActivateRecord* activation : story.activations) {
    if (!activation->is_refused() && activation->begin < request.end) return false;
  }
  return request.ended_at + kClockMargin < due;
}

}  // namespace wharf::crash
