#include "tools/crash/load/exchanger.h"

#include <utility>

namespace wharf::crash {
namespace {

constexpr std::uint32_t kReceivedMax = 5;
constexpr Duration kWait = std::chrono::milliseconds(100);

}  // namespace

void Exchanger::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  const Source from{.queue = life.queues.retries};
  while (!life.progress.is_over()) {
    const auto deliveries = client.Receive(from, Mode::kPeekLock, kReceivedMax, kWait);
    if (!deliveries.ok() && IsGone(deliveries.status())) return;
    if (!deliveries.ok()) continue;
    Status status;
    for (const DeliveryRecord& delivery : *deliveries) {
      if (IsGone(status)) {
        life.held_locks.Hold(from, {delivery.token});
      } else {
        status = Run(life, client, delivery, dice);
      }
    }
    if (IsGone(status)) return;
  }
}

Status Exchanger::Run(Life& life, RecordedClient& client, const DeliveryRecord& delivery,
                      Dice& dice) {
  const v1::Message message = messages_.Make(dice);
  Exchange exchange;
  exchange.id = "exchange-" + message.message_id();
  exchange.settle.source = delivery.source;
  exchange.settle.token = delivery.token;
  exchange.send.queue = life.queues.orders;
  exchange.send.messages.push_back(Unsent(message));
  Status status = client.Run(exchange, message);
  book_.Note(std::move(exchange), life.held_locks);
  return status;
}

}  // namespace wharf::crash
