// SessionChecks: one holder of a session at a time, whose token works until its lock ends or is
// released, also across a crash; and what was released is free.
#pragma once

#include <string>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class SessionChecks {
 public:
  SessionChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations) {}

  void Run();

 private:
  void CheckTokens();
  void CheckNext(const SessionLock& one, const SessionLock& next);
  void CheckReceives();
  void CheckUse(const SessionLock& lock, const Operation& use);
  void CheckLost(const SessionLock& lock, const Operation& refused);
  void CheckOccupied(const SessionAcceptRecord& refused);
  void Report(Rule rule, const SessionLock& lock, const std::string& what);

  const Storybook& book_;
  Violations& violations_;
};

}  // namespace wharf::crash
