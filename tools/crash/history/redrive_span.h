// RedriveSpan: from when until when a job may have sent dead letters back.
#pragma once

#include <vector>

#include "tools/crash/history/history.h"

namespace wharf::crash {

struct RedriveSpan {
  const RedriveRecord* redrive = nullptr;
  Tick begin = 0;
  // kNoTick: it was never seen to have ended.
  Tick end = kNoTick;

  // Whether it may have done something between two moments.
  bool Overlaps(Tick since, Tick until) const { return begin < until && end > since; }
};

// Of each queue; those that were refused did nothing.
std::vector<std::vector<RedriveSpan>> RedriveSpans(const History& history);

}  // namespace wharf::crash
