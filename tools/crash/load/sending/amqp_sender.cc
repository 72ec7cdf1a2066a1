#include "tools/crash/load/sending/amqp_sender.h"

#include <vector>

#include "tools/crash/amqp/recorded_amqp.h"
#include "tools/crash/load/sending/session_sender.h"

namespace wharf::crash {
namespace {

// A batch stands or falls as a whole; of what is received and deleted nobody can tell that.
QueueIndex DrawQueue(const LoadQueues& queues, bool is_batch, Dice& dice) {
  const std::uint64_t lot = dice.Below(is_batch ? 90 : 100);
  if (lot < 30) return queues.orders;
  if (lot < 40) return queues.inbox;
  if (lot < 60) return queues.retries;
  return lot < 90 ? queues.chats : queues.drops;
}

}  // namespace

void AmqpSender::Run(Life& life, Dice& dice) {
  const auto client = RecordedAmqp::Dial(life);
  Status status;
  while (client != nullptr && !IsGone(status) && life.progress.WaitForRoom(kBacklogMax)) {
    const bool is_batch = dice.Chance(40);
    const QueueIndex queue = DrawQueue(life.queues, is_batch, dice);
    std::vector<v1::Message> messages;
    for (std::uint64_t left = dice.Between(1, 10); left > 0; --left) {
      messages.push_back(messages_.Make(dice));
      if (queue == life.queues.chats) messages.back().set_session_id(DrawSession(dice));
    }
    status = client->Send(queue, messages, is_batch);
  }
}

}  // namespace wharf::crash
