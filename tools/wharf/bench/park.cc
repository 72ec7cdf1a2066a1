#include "tools/wharf/bench/park.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tools/wharf/bench/bounds.h"
#include "tools/wharf/bench/payload.h"
#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {
namespace {

using std::chrono::system_clock;

Duration SinceEpoch(const google::protobuf::Timestamp& time) {
  return std::chrono::seconds(time.seconds()) +
         std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(time.nanos()));
}

void SetTime(Duration since_epoch, google::protobuf::Timestamp* time) {
  constexpr std::int64_t kMicrosPerSecond = 1'000'000;
  time->set_seconds(since_epoch.count() / kMicrosPerSecond);
  time->set_nanos(static_cast<std::int32_t>(since_epoch.count() % kMicrosPerSecond * 1000));
}

// Sends the messages of the plan, with their times if they are to be scheduled.
Status SendAll(client::Client& client, const ParkPlan& plan) {
  const auto sender = client.CreateSender(plan.queue);
  const Payload payload(plan.body_size);
  const Duration start =
      std::chrono::duration_cast<Duration>(system_clock::now().time_since_epoch()) + plan.after;
  std::atomic<std::uint64_t> failures = 0;
  ProgressBar progress(plan.count, "sending");
  for (std::uint64_t i = 0; i < plan.count; ++i) {
    progress.Update(i);
    v1::Message message;
    payload.Fill(i, Payload::Time(), *message.mutable_body());
    if (plan.state == ParkedState::kScheduled) {
      SetTime(
          start + plan.over * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(plan.count),
          message.mutable_scheduled_enqueue_time());
    }
    sender->Send(std::move(message), [&failures](const Result<client::SendReceipt>& receipt) {
      if (!receipt.ok()) ++failures;
    });
  }
  WHARF_RETURN_IF_ERROR(sender->Flush());
  if (failures == 0) return {};
  return {ErrorCode::kGeneralError, fmt::format("{} messages were refused", failures.load())};
}

v1::Settlement VerbOf(const ParkPlan& plan) {
  v1::Settlement settlement;
  if (plan.state == ParkedState::kDeferred) {
    settlement.mutable_defer();
  } else {
    settlement.mutable_abandon()->mutable_delay()->set_seconds(plan.after /
                                                               std::chrono::seconds(1));
  }
  return settlement;
}

// Receives as many messages and settles each with the verb.
Status SettleAll(client::Client& client, const ParkPlan& plan) {
  const auto receiver = client.CreateReceiver(
      plan.queue, {.prefetch_messages = kPrefetch, .messages_max = plan.count});
  std::atomic<std::uint64_t> failures = 0;
  ProgressBar progress(plan.count, "parking");
  for (std::uint64_t left = plan.count; left > 0;) {
    progress.Update(plan.count - left);
    auto messages = receiver->Receive(std::min<std::uint64_t>(left, kPrefetch), kPatience);
    if (!messages.ok()) return messages.status();
    if (messages->empty()) {
      return {ErrorCode::kServiceTimeout, fmt::format("{} messages did not come", left)};
    }
    v1::Settlement settlement = VerbOf(plan);
    for (v1::ReceivedMessage& message : *messages) {
      settlement.add_lock_tokens(std::move(*message.mutable_lock_token()));
    }
    left -= messages->size();
    receiver->Settle(std::move(settlement), [&failures](Result<client::SettleReceipt> receipt) {
      if (!receipt.ok() || !receipt->failures.empty()) ++failures;
    });
  }
  WHARF_RETURN_IF_ERROR(receiver->Flush());
  if (failures == 0) return {};
  return {ErrorCode::kGeneralError, fmt::format("{} settlements failed", failures.load())};
}

}  // namespace

Status Park(client::Client& client, const ParkPlan& plan) {
  WHARF_RETURN_IF_ERROR(SendAll(client, plan));
  return plan.state == ParkedState::kScheduled ? Status() : SettleAll(client, plan);
}

Result<DueReport> MeasureDue(client::Client& client, const ParkPlan& plan) {
  if (const Status sent = SendAll(client, plan); !sent.ok()) return sent;
  DueReport report;
  const auto receiver = client.CreateReceiver(
      plan.queue, {.mode = v1::RECEIVE_MODE_RECEIVE_AND_DELETE, .prefetch_messages = kPrefetch});
  ProgressBar progress(plan.count, "waiting");
  while (report.messages < plan.count) {
    progress.Update(report.messages);
    auto messages = receiver->Receive(kPrefetch, plan.after + kPatience);
    if (!messages.ok()) return messages.status();
    if (messages->empty()) {
      return Status(ErrorCode::kServiceTimeout, fmt::format("{} of {} messages came, and no more",
                                                            report.messages, plan.count));
    }
    for (const v1::ReceivedMessage& message : *messages) {
      report.lateness.Add(SinceEpoch(message.enqueued_time()) -
                          SinceEpoch(message.message().scheduled_enqueue_time()));
    }
    report.messages += messages->size();
  }
  return report;
}

}  // namespace wharf::tool
