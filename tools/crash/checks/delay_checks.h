// DelayChecks: what must hold for every message that was abandoned with a delay: it rests until its
// time, also through a crash. That it comes back, and what it counts, is for the others to say.
#pragma once

#include <string>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class DelayChecks {
 public:
  DelayChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations) {}

  void Run();

 private:
  void CheckRest(const Story& story, const Holding& one, const Holding& next);
  void CheckSighting(const Story& story, const Sighting& sighting);
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
};

}  // namespace wharf::crash
