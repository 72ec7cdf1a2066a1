// DeferralChecks: what must hold for every message that was deferred: it comes by its number, and
// not in order, until someone undefers it; also after a crash.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/crash/history/story.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class DeferralChecks {
 public:
  DeferralChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  // What was asked for by the number of one message.
  struct Requests {
    std::vector<const ReceiveRecord*> receives;
    std::vector<const UndeferRecord*> undefers;
  };
  // Which a message may be, as far as is known.
  struct Possible {
    bool active = true;
    bool deferred = false;
  };

  void CheckDeliveries(const Story& story);
  void CheckSightings(const Story& story);
  void CheckRefusals(const Story& story);
  Possible After(const Holding& holding) const;
  void AddUndefers(const Holding* before, const Holding& next, Possible& possible) const;
  // The message was deferred all the time, and nobody else asked for it.
  bool IsSurelyDeferred(const Story& story, const Operation& meanwhile) const;
  const Requests& RequestsFor(const DeliveryRecord& delivery) const;
  void Report(const Story& story, std::string what);

  const Storybook& book_;
  Violations& violations_;
  std::map<std::pair<QueueIndex, std::int64_t>, Requests> requests_;
};

}  // namespace wharf::crash
