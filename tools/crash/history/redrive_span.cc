#include "tools/crash/history/redrive_span.h"

#include <algorithm>
#include <map>

namespace wharf::crash {
namespace {

// When each job was first seen to have ended.
std::map<std::int64_t, Tick> EndsOfJobs(const History& history) {
  std::map<std::int64_t, Tick> ends;
  for (const JobLookRecord& look : history.job_looks) {
    if (!look.is_ok() || look.state == JobState::kRunning) continue;
    const auto [end, is_first] = ends.emplace(look.job, look.end);
    if (!is_first) end->second = std::min(end->second, look.end);
  }
  return ends;
}

}  // namespace

std::vector<std::vector<RedriveSpan>> RedriveSpans(const History& history) {
  const std::map<std::int64_t, Tick> ends = EndsOfJobs(history);
  std::vector<std::vector<RedriveSpan>> spans(history.queues.size());
  for (const RedriveRecord& redrive : history.redrives) {
    if (redrive.is_refused()) continue;
    RedriveSpan span{.redrive = &redrive, .begin = redrive.begin};
    const auto end = redrive.is_ok() ? ends.find(redrive.job) : ends.end();
    if (end != ends.end()) span.end = end->second;
    spans[redrive.queue].push_back(span);
  }
  return spans;
}

}  // namespace wharf::crash
