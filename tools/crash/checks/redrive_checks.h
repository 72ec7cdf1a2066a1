// RedriveChecks: what must hold for the jobs that send dead letters back, and for what they sent:
// a message is in one place at any time, under a number of its own in each; a job goes on after a
// crash, and its progress is what it did (I9; case 47).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/crash/history/redrive_span.h"
#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class RedriveChecks {
 public:
  RedriveChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  // What is known of a message between two redrives.
  struct Stay {
    // The end of its first sign, and the begin of its last one.
    Tick first = kNoTick;
    Tick last = 0;
    // Under which it was seen.
    std::vector<const SeenMessage*> seen;
  };
  using Stays = std::map<std::int64_t, Stay>;

  static Stays StaysOf(const Story& story);
  void CheckStays(const Story& story);
  void CheckMove(const Story& story, const Stays::value_type& from, const Stays::value_type& to);
  void CheckNumbers(const Story& story, const Stays& stays);

  void CheckJob(const RedriveRecord& redrive);
  void CheckLook(const RedriveRecord& redrive, const JobLookRecord& look);
  void CheckProgress(const JobLookRecord& before, const JobLookRecord& after);
  void CheckNothingLeft(const RedriveRecord& redrive);
  void CheckTotal(QueueIndex queue);
  bool IsAllSeen(QueueIndex queue) const;
  void Report(Rule rule, std::string what) { violations_.push_back({rule, std::move(what)}); }
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
  const std::vector<std::vector<RedriveSpan>> spans_;
  // Of each job, in the order of time.
  std::map<std::int64_t, std::vector<const JobLookRecord*>> looks_;
};

}  // namespace wharf::crash
