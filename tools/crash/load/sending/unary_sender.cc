#include "tools/crash/load/sending/unary_sender.h"

#include <vector>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

QueueIndex DrawQueue(const LoadQueues& queues, bool is_atomic, Dice& dice) {
  // Of what is received and deleted some may be lost in a crash, so nothing can be said there of
  // all or nothing.
  const std::uint64_t lot = dice.Below(is_atomic ? 80 : 100);
  if (lot < 28) return queues.orders;
  if (lot < 38) return queues.inbox;
  if (lot < 46) return queues.briefs;
  if (lot < 55) return queues.scraps;
  return lot < 80 ? queues.retries : queues.drops;
}

}  // namespace

void UnarySender::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForRoom(kBacklogMax)) {
    const bool is_batch = dice.Chance(40);
    const bool is_atomic = is_batch && dice.Chance(50);
    const QueueIndex queue = DrawQueue(life.queues, is_atomic, dice);
    std::vector<v1::Message> messages;
    for (std::uint64_t left = is_batch ? dice.Between(2, 10) : 1; left > 0; --left) {
      messages.push_back(messages_.Make(dice));
    }
    status = client.Send(queue, messages, is_atomic);
  }
}

}  // namespace wharf::crash
