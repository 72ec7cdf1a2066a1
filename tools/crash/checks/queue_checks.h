// QueueChecks: what must hold for all the messages of a queue together: I1, I5 and I6.
#pragma once

#include <vector>

#include <absl/container/flat_hash_set.h>

#include "tools/crash/history/story.h"
#include "tools/crash/history/vanishing.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

class QueueChecks {
 public:
  QueueChecks(const Storybook& book, Violations& violations);

  void Run();

 private:
  struct Census {
    const CensusRecord* record;
    absl::flat_hash_set<MessageId> messages;
  };

  void CheckNotLost(const Story& story);
  // Where what expires is gone: the first census that misses the message.
  void CheckExpired(const Story& story, const Census& census);
  // The first census that should show the message and does not; null: every one does.
  const Census* FirstWithout(const Story& story) const;
  void NoteVanished(const Story& story, const Census& census);
  bool MayHaveTaken(const ReceiveRecord& receive, Tick since,
                    const std::vector<MessageId>& messages) const;
  void CheckVanished();
  // Whether all of its queue was looked at since.
  bool WasLookedAt(const SendRecord& send) const;
  // Of an atomic batch, one that nobody has seen: whether somebody must have, if any was stored.
  bool CanBeMissed(const SendRecord& send, const Story& story) const;
  void CheckAtomic(const SendRecord& send);
  void CheckUniqueNumbers();
  void CheckRisingNumbers();
  void CheckNumbersOfClients();
  bool MayBeHandedBack(const Story& story, const DeliveryRecord& delivery) const;
  void CheckFirstDeliveries();
  void CheckCounters(const CensusRecord& census);

  const Storybook& book_;
  Violations& violations_;
  // Of each queue, in the order of time.
  std::vector<std::vector<Census>> censuses_;
  std::vector<Tick> deleted_since_;
  const Vanishing vanishing_;
  // Messages that were perhaps received and deleted by a receive that had no answer, by the census
  // that misses them.
  std::map<const Census*, std::vector<MessageId>> vanished_;
};

}  // namespace wharf::crash
