// ExpiryChecks: what must hold for every message that lives for a while only: it is not handed out
// when its time is over, and then lies in the dead-letter queue, but not before; or, where what
// expires is gone, is seen no more soon. That it is not gone before is QueueChecks'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

inline constexpr std::string_view kExpiredReason = "TTLExpiredException";

class ExpiryChecks {
 public:
  ExpiryChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  void CheckEnd(const Story& story, const SeenMessage& seen);
  void CheckHolding(const Story& story, const Holding& holding);
  void CheckSighting(const Story& story, const Sighting& sighting);
  // By the broker's clock: from when on nobody has a lock by which it may have been seen.
  Timestamp FreeSince(const Story& story, const Sighting& sighting) const;
  void CheckReason(const Story& story, const SeenMessage& seen);
  void Report(Rule rule, const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
  // Where what expires is gone: those that may have locked messages of which nobody heard.
  std::vector<const ReceiveRecord*> unheard_;
};

}  // namespace wharf::crash
