// ScheduleChecks: what must hold for every message that was sent for later: it comes once, under a
// new number, not before its time, which may have been moved, unless it was activated; or it was
// cancelled, and never comes.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class ScheduleChecks {
 public:
  ScheduleChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations) {}

  void Run();

 private:
  void CheckNumbers(const Story& story);
  void CheckTime(const Story& story, const SeenMessage& seen);
  void CheckCancels(const Story& story);
  void CheckCancelled(const Story& story, const CancelRecord& cancel);
  void CheckDues(const Story& story);
  template <typename Request>
  void CheckRequests(const Story& story, const std::vector<const Request*>& requests);
  void CheckFound(const Story& story, const Operation& request);
  void CheckRefused(const Story& story, const Operation& request);
  void CheckNotScheduledAgain(const Story& story);
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
};

}  // namespace wharf::crash
