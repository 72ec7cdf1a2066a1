// RunChecks: what must hold for the daemon's lives, for the queues as such and for every answer:
// I7, I9, I10 and case 4.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/history/history.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class RunChecks {
 public:
  RunChecks(const History& history, Violations& violations)
      : history_(history), violations_(violations) {}

  void Run();

 private:
  void CheckLives();
  void CheckAnswer(const Operation& operation);
  void CheckDoubt(const Operation& operation);
  std::string About(const LifeRecord& life) const;
  void CheckAnswers();
  void CheckVersions();
  void CheckLists();
  // `changes` are those of each queue that were not refused.
  void CheckList(const QueueListRecord& list,
                 const std::vector<std::vector<const QueueChange*>>& changes);
  void Report(Rule rule, std::string what) { violations_.push_back({rule, std::move(what)}); }

  const History& history_;
  Violations& violations_;
};

}  // namespace wharf::crash
