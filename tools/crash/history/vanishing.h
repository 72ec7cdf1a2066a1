// Vanishing: when a message may be nowhere any more although nobody took it, because its time was
// over and what has expired in its queue becomes no dead letter.
//
// It must be there until its end; and behind it while it is locked, while it is deferred and nobody
// asks for it, and as a dead letter (TTL-7, TTL-14, TTL-15). It points into the history, which must
// outlive it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tools/crash/history/story.h"

namespace wharf::crash {

class Vanishing {
 public:
  explicit Vanishing(const History& history);

  // Whether it may have gone so before this census, in which it is missing.
  bool MayExplain(const CensusRecord& census, const Story& story, Duration time_to_live) const;

 private:
  bool IsAskedFor(const DeliveryRecord& delivery, Tick since, Tick until) const;
  bool IsKept(const CensusRecord& census, const Holding& last, Timestamp end) const;

  // What asks for a message by its number in a queue where this matters, if it was not refused
  // before anybody looked.
  std::map<std::pair<QueueIndex, std::int64_t>, std::vector<const Operation*>> requests_;
};

// By the broker's clock, as far as it is known: when it was seen it said so, and else it was
// enqueued no sooner than it was sent.
Timestamp EarliestEnd(const Story& story, Duration time_to_live);

}  // namespace wharf::crash
