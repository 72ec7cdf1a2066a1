// ForwardChecks: what must hold for the messages that a queue forwards to another, but for what
// holds for all: they arrive in the order in which they were stored (FWD-8), and nothing stays
// behind.
//
// That each arrives once, and keeps its first number, is checked where it is found.
#pragma once

#include <vector>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class ForwardChecks {
 public:
  ForwardChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations) {}

  void Run();

 private:
  // Under which numbers a message was stored and arrived.
  struct Passage {
    std::int64_t stored = 0;
    std::int64_t arrived = 0;
    MessageId id;
  };

  // By the queue that was sent to.
  std::vector<std::vector<Passage>> Passages() const;
  void CheckOrder(std::vector<Passage>& passages);
  void CheckNothingLeft(const CensusRecord& census);

  const Storybook& book_;
  Violations& violations_;
};

}  // namespace wharf::crash
