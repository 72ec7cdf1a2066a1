#include "tools/crash/load/receiving/deferred_receiver.h"

#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/receiving/settle_by_lot.h"

namespace wharf::crash {
namespace {

constexpr std::uint32_t kFoundMax = 20;

QueueIndex DrawQueue(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 40) return queues.orders;
  if (lot < 80) return queues.retries;
  return lot < 90 ? queues.scraps : queues.wisps;
}

std::vector<std::int64_t> DrawSome(const std::vector<std::int64_t>& numbers, Dice& dice) {
  const std::uint64_t count = dice.Chance(50) ? 1 : dice.Between(1, 4);
  std::vector<std::int64_t> some;
  for (std::size_t i = dice.Below(numbers.size()); i < numbers.size() && some.size() < count; ++i) {
    some.push_back(numbers[i]);
  }
  return some;
}

}  // namespace

void DeferredReceiver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 15))) {
    const Source source{.queue = DrawQueue(life.queues, dice)};
    const auto found = client.FindDeferred(source.queue, kFoundMax);
    status = found.status();
    if (!found.ok() || found->empty()) continue;
    const std::vector<std::int64_t> numbers = DrawSome(*found, dice);
    if (dice.Chance(15)) {
      status = client.Undefer(source.queue, numbers);
      continue;
    }
    const auto deliveries = client.ReceiveDeferred(source.queue, numbers);
    status = deliveries.status();
    if (deliveries.ok()) status = SettleByLot(life, client, source, *deliveries, dice);
  }
}

}  // namespace wharf::crash
