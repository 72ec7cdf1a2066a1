#include "tools/crash/load/receiving/unary_receiver.h"

#include "tools/crash/load/receiving/settle_by_lot.h"

namespace wharf::crash {
namespace {

QueueIndex DrawReceived(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 30) return queues.orders;
  if (lot < 45) return queues.relays;
  if (lot < 74) return queues.retries;
  if (lot < 84) return queues.scraps;
  return lot < 93 ? queues.singles : queues.briefs;
}

Source DrawSource(const LoadQueues& queues, Dice& dice) {
  return {.queue = DrawReceived(queues, dice),
          .lane = dice.Chance(30) ? Lane::kDeadLetter : Lane::kMain};
}

}  // namespace

void UnaryReceiver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  while (!life.progress.is_over()) {
    const Source source = DrawSource(life.queues, dice);
    const Duration wait = std::chrono::milliseconds(source.lane == Lane::kMain ? 100 : 10);
    const auto messages_max = static_cast<std::uint32_t>(dice.Between(1, 20));
    const auto deliveries = client.Receive(source, Mode::kPeekLock, messages_max, wait);
    if (!deliveries.ok() && IsGone(deliveries.status())) return;
    if (!deliveries.ok()) continue;
    if (IsGone(SettleByLot(life, client, source, *deliveries, dice))) return;
  }
}

}  // namespace wharf::crash
