// ScheduleTimes: the times at which a scheduled message may be due, as far as is known.
#pragma once

#include <vector>

#include "tools/crash/history/story.h"

namespace wharf::crash {

// At some moment between two ticks.
std::vector<Timestamp> PossibleDues(const Story& story, Tick begin, Tick end);
// When it may have been enqueued at the earliest: its last time, or when it was activated.
Timestamp EarliestEnqueue(const Story& story);
// Whether it was scheduled all the time until a request that ended then had its answer.
bool IsSurelyScheduledUntil(const Story& story, const Operation& request);

}  // namespace wharf::crash
