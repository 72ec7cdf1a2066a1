#include "tools/crash/load/purger.h"

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

// Of the second the ids that duplicate detection remembers stay; of the third what had expired is
// forgotten, and compactions that know of it may be under way.
QueueIndex DrawPurged(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 65) return queues.scraps;
  return lot < 95 ? queues.singles : queues.wisps;
}

}  // namespace

void Purger::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(20, 120))) {
    const Source source{.queue = DrawPurged(life.queues, dice),
                        .lane = dice.Chance(30) ? Lane::kDeadLetter : Lane::kMain};
    const bool with_scheduled = source.lane == Lane::kMain && dice.Chance(40);
    status = client.Purge(source, with_scheduled);
  }
}

}  // namespace wharf::crash
