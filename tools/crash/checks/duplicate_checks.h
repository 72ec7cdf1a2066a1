// DuplicateChecks: what must hold for every message that was sent more than once to a queue that
// drops duplicates: there is one of it, and whoever sends it again hears of that one's number.
#pragma once

#include <string>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class DuplicateChecks {
 public:
  DuplicateChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations) {}

  void Run();

 private:
  void CheckStoredOnce(const Story& story);
  void CheckNumbers(const Story& story);
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
};

}  // namespace wharf::crash
