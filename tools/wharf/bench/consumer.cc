#include "tools/wharf/bench/consumer.h"

#include <utility>

#include "tools/wharf/bench/payload.h"

namespace wharf::tool {

using std::chrono::steady_clock;

Consumer::Consumer(const std::string& address, std::string queue, std::uint32_t window,
                   Milestone& settled)
    : queue_(std::move(queue)),
      window_(window),
      settled_(settled),
      client_(address, client::ClientOptions{.has_own_connection = true}) {}

Status Consumer::Connect() { return client_.Connect(std::chrono::seconds(10)); }

void Consumer::Start() {
  receiver_ =
      client_.CreateReceiver(queue_, {.prefetch_messages = window_},
                             [this](client::Receiver& receiver, v1::Deliveries& deliveries) {
                               OnMessages(receiver, deliveries);
                             });
}

void Consumer::Stop() {
  // If the stream is broken, what was lost is among the errors.
  (void)receiver_->Stop();
  (void)receiver_->Flush();
  receiver_.reset();
}

void Consumer::OnMessages(client::Receiver& receiver, v1::Deliveries& deliveries) {
  const auto now = steady_clock::now();
  v1::Settlement settlement;
  settlement.mutable_complete();
  settlement.mutable_lock_tokens()->Reserve(deliveries.messages_size());
  for (v1::ReceivedMessage& message : *deliveries.mutable_messages()) {
    const auto sent_at = Payload::SentAt(message.message().body());
    if (sent_at.has_value()) latency_.Add(now - *sent_at);
    settlement.add_lock_tokens(std::move(*message.mutable_lock_token()));
  }
  settlements_++;
  const auto count = static_cast<std::size_t>(settlement.lock_tokens_size());
  receiver.Settle(
      std::move(settlement),
      [this, count](const Result<client::SettleReceipt>& receipt) { OnSettled(count, receipt); });
}

void Consumer::OnSettled(std::size_t count, const Result<client::SettleReceipt>& receipt) {
  errors_ += receipt.ok() ? receipt->failures.size() : count;
  if (!receipt.ok()) return settled_.GiveUp();
  settled_.Count(count);
}

}  // namespace wharf::tool
