// PurgeReach: which messages a purge may have taken, and which it must have.
//
// A purge takes all that is in a lane at one instant between its begin and its end. What is seen
// after that was not taken; what is elsewhere all the time cannot be.
#pragma once

#include <vector>

#include "tools/crash/history/redrive_span.h"
#include "tools/crash/history/story.h"

namespace wharf::crash {

class PurgeReach {
 public:
  explicit PurgeReach(const History& history);

  // Whether the purge may be what took the message.
  bool MayTake(const PurgeRecord& purge, const Story& story) const;
  // Whether it is known to be: the message was in the lane before, and nobody else could take it.
  bool SurelyTakes(const PurgeRecord& purge, const Story& story) const;

 private:
  bool MayBeInMainLane(const PurgeRecord& purge, const Story& story) const;
  bool MayBeDeadLettered(const PurgeRecord& purge, const Story& story) const;
  bool IsUntouched(const PurgeRecord& purge, const Story& story, Tick since) const;
  // The last sign, before the purge began, that it was in the dead-letter queue; null: none is
  // known, or it may have been sent back since.
  const Sign* DeadLetteredBefore(const PurgeRecord& purge, const Story& story) const;
  // A receive from the lane that had no answer.
  bool MayBeReceived(const Source& source, Tick since, Tick until) const;

  const History& history_;
  const std::vector<std::vector<RedriveSpan>> redrives_;
  std::vector<const ReceiveRecord*> unheard_;
};

}  // namespace wharf::crash
