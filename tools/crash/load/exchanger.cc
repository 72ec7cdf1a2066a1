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
  if (status.ok()) {
    committed_.push_back(exchange.id);
  } else if (exchange.settle.is_unknown()) {
    doubtful_.push_back(std::move(exchange));
  } else {
    life.held_locks.Hold(delivery.source, {delivery.token});
  }
  return status;
}

Status Exchanger::Resolve(RecordedClient& client, HeldLocks& held_locks) {
  for (Exchange& exchange : std::exchange(doubtful_, {})) {
    const Result<bool> is_committed = client.Resolve(exchange);
    if (!is_committed.ok()) return is_committed.status();
    if (!*is_committed) held_locks.Hold(exchange.settle.source, {exchange.settle.token});
  }
  for (const std::string& id : std::exchange(committed_, {})) {
    WHARF_RETURN_IF_ERROR(client.CheckCommitted(id));
  }
  return {};
}

}  // namespace wharf::crash
