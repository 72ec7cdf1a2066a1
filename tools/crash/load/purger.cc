#include "tools/crash/load/purger.h"

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {

void Purger::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(20, 120))) {
    // The ids that duplicate detection remembers stay.
    const Source source{.queue = dice.Chance(70) ? life.queues.scraps : life.queues.singles,
                        .lane = dice.Chance(30) ? Lane::kDeadLetter : Lane::kMain};
    const bool with_scheduled = source.lane == Lane::kMain && dice.Chance(40);
    status = client.Purge(source, with_scheduled);
  }
}

}  // namespace wharf::crash
