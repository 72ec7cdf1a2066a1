// SessionTour: many consumers go through a great number of sessions, each of which has one message:
// accept the next, receive, complete, release.
//
// What a session costs when there are many of them and each is short. Runs on the main thread and
// returns when it is over.
#pragma once

#include "tools/wharf/bench/bench.h"

namespace wharf::tool {

// Sends a message to each of `plan.sessions` sessions, unless the queue is filled already, then
// measures `consumers` consumers, each of which makes single calls.
Result<BenchReport> BenchSessionTour(const BenchPlan& plan, std::size_t consumers);

}  // namespace wharf::tool
