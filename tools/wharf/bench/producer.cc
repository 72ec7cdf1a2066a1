#include "tools/wharf/bench/producer.h"

#include <utility>

#include <fmt/core.h>

namespace wharf::tool {

using std::chrono::steady_clock;

Producer::Producer(const client::Target& address, Plan plan, const Payload& payload)
    : plan_(std::move(plan)),
      has_base_(plan_.base.ByteSizeLong() > 0),
      payload_(payload),
      client_(address, client::ClientOptions{.has_own_connection = true}) {}

Status Producer::Connect() {
  WHARF_RETURN_IF_ERROR(client_.Connect(std::chrono::seconds(10)));
  client::SenderOptions options;
  options.window_messages = plan_.window;
  options.window_bytes = std::size_t{1} << 30;  // The window is measured in messages.
  sender_ = client_.CreateSender(plan_.queue, options);
  return Status::Ok();
}

void Producer::Start() {
  v1::Message message;
  for (std::size_t i = 0; i < plan_.window; ++i) SendNext(message, steady_clock::now());
}

Status Producer::Join() { return sender_->Flush(); }

void Producer::SendNext(v1::Message& message, Time now) {
  if (now >= plan_.deadline) return;
  const std::uint64_t number = sent_.fetch_add(1, std::memory_order_relaxed);
  if (number >= plan_.messages_max) return;
  if (has_base_) message.CopyFrom(plan_.base);
  payload_.Fill(number, now, *message.mutable_body());
  if (plan_.sessions > 0) {
    message.set_session_id(fmt::format("s{}", (plan_.first_session + number) % plan_.sessions));
  }
  client::Sender::Callback callback = [this, now](const Result<client::SendReceipt>& receipt) {
    OnReceipt(now, receipt);
  };
  // There is room: a message is sent at the start, and then only for one that got its receipt.
  if (!sender_->TrySend(std::move(message), callback)) std::abort();
}

void Producer::OnReceipt(Time sent_at, const Result<client::SendReceipt>& receipt) {
  if (!receipt.ok()) {
    errors_++;
    return;
  }
  const Time now = steady_clock::now();
  latency_.Add(now - sent_at);
  // Cheaper than an increment, and enough where only one thread writes.
  acknowledged_.store(acknowledged() + 1, std::memory_order_relaxed);
  SendNext(message_, now);
}

}  // namespace wharf::tool
