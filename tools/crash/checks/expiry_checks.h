// ExpiryChecks: what must hold for every message that lives for a while only: it is not handed out
// when its time is over, and then lies in the dead-letter queue, but not before.
#pragma once

#include <string>
#include <string_view>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

inline constexpr std::string_view kExpiredReason = "TTLExpiredException";

class ExpiryChecks {
 public:
  ExpiryChecks(const Storybook& book, Violations& violations)
      : book_(book), violations_(violations) {}

  void Run();

 private:
  void CheckEnd(const Story& story, const SeenMessage& seen);
  void CheckHolding(const Story& story, const Holding& holding);
  void CheckReason(const Story& story, const SeenMessage& seen);
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
};

}  // namespace wharf::crash
