// PurgeChecks: what must hold for every purge that was acknowledged: nothing that was in the lane
// before it is there after it, and the number that it told is that of what it took.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/history/purge_reach.h"
#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class PurgeChecks {
 public:
  PurgeChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations), reach_(book.history()) {}

  void Run();

 private:
  // What was sent to the queue of a purge.
  using StoryList = std::vector<const Story*>;

  void CheckTaken(const PurgeRecord& purge, const Story& story);
  void CheckCount(const PurgeRecord& purge, const StoryList& sent);

  const Storybook& book_;
  Violations& violations_;
  const PurgeReach reach_;
};

}  // namespace wharf::crash
