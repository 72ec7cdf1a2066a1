// SessionStateChecks: the state of a session is never older than what was acknowledged or read, and
// always one that was set (case 48); a state and the completes of one request are there both, or
// none of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class SessionStateChecks {
 public:
  SessionStateChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  // The states of one session that were set, and read.
  struct States {
    std::vector<const SessionUseRecord*> sets;
    std::vector<const SessionUseRecord*> reads;
  };

  void CheckRead(const std::string& session, const States& states, const SessionUseRecord& read);
  void CheckTogether(const std::string& session, const States& states, const SessionUseRecord& set);
  // Whether the message of this token was seen after the request.
  bool IsThereAfter(const SessionUseRecord& set, std::string_view token) const;
  // Whether the request, and nothing else, took it away.
  bool IsGoneBy(const SessionUseRecord& set, std::string_view token) const;

  const Storybook& book_;
  Violations& violations_;
  std::map<SessionLocks::SessionKey, States> states_;
  // By the tokens of their locks.
  std::map<std::string_view, const Story*> stories_;
};

}  // namespace wharf::crash
