#include "tools/crash/load/sending/rest_sender.h"

#include <vector>

#include "tools/crash/rest/recorded_rest.h"

namespace wharf::crash {
namespace {

// A batch stands or falls as a whole; of what is received and deleted nobody can tell that.
QueueIndex DrawQueue(const LoadQueues& queues, bool is_batch, Dice& dice) {
  const std::uint64_t lot = dice.Below(is_batch ? 80 : 100);
  if (lot < 40) return queues.orders;
  if (lot < 55) return queues.inbox;
  return lot < 80 ? queues.retries : queues.drops;
}

}  // namespace

void RestSender::Run(Life& life, Dice& dice) {
  RecordedRest client(life);
  Status status;
  while (!IsGone(status) && life.progress.WaitForRoom(kBacklogMax)) {
    const bool is_batch = dice.Chance(40);
    const QueueIndex queue = DrawQueue(life.queues, is_batch, dice);
    std::vector<v1::Message> messages;
    for (std::uint64_t left = is_batch ? dice.Between(2, 5) : 1; left > 0; --left) {
      messages.push_back(messages_.Make(dice));
    }
    status = is_batch ? client.SendBatch(queue, messages) : client.Send(queue, messages.front());
  }
}

}  // namespace wharf::crash
