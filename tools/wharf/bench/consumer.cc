#include "tools/wharf/bench/consumer.h"

#include <utility>

#include "tools/wharf/bench/payload.h"

namespace wharf::tool {

using std::chrono::steady_clock;

Consumer::Consumer(const client::Target& address, Plan plan, Milestone& settled)
    : plan_(std::move(plan)),
      settled_(settled),
      client_(address, client::ClientOptions{.has_own_connection = true}),
      keeper_(client_.sessions(), plan_.queue) {}

Status Consumer::Connect() { return client_.Connect(std::chrono::seconds(10)); }

void Consumer::Start() {
  receiver_ = client_.CreateReceiver(
      plan_.queue, {.prefetch_messages = plan_.window, .session = plan_.session},
      [this](client::Receiver& receiver, v1::Deliveries& deliveries) {
        OnMessages(receiver, deliveries);
      },
      {.on_accepted = [this](client::Receiver&,
                             const v1::AcceptedSession& session) { keeper_.Keep(session); },
       .on_ended = [this](client::Receiver&,
                          const v1::SessionEnded& session) { OnSessionEnded(session); }});
}

void Consumer::Stop() {
  // If the stream is broken, what was lost is among the errors.
  (void)receiver_->Stop();
  (void)receiver_->Flush();
  receiver_.reset();
}

void Consumer::OnSessionEnded(const v1::SessionEnded& session) {
  keeper_.Forget(session.session_lock_token());
  if (session.has_error()) errors_++;
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
