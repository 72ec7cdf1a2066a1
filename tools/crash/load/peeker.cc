#include "tools/crash/load/peeker.h"

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

QueueIndex DrawPeeked(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 40) return queues.orders;
  if (lot < 70) return queues.retries;
  return lot < 85 ? queues.scraps : queues.wisps;
}

}  // namespace

void Peeker::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  std::int64_t from = 0;
  while (life.progress.WaitForMore(dice.Between(10, 50))) {
    const Source source{.queue = DrawPeeked(life.queues, dice),
                        .lane = dice.Chance(30) ? Lane::kDeadLetter : Lane::kMain};
    const auto next = client.Peek(source, from, static_cast<std::uint32_t>(dice.Between(1, 50)));
    if (!next.ok() && IsGone(next.status())) return;
    from = next.ok() ? *next : 0;
  }
}

}  // namespace wharf::crash
