#include "tools/crash/load/scheduler.h"

#include <utility>

namespace wharf::crash {
namespace {

constexpr std::size_t kRememberedMax = 10;
constexpr std::uint64_t kMillisecondsMax = 1200;

void SetDue(Duration wait, v1::Message& message) {
  const auto due = std::chrono::system_clock::now().time_since_epoch() + wait;
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(due).count();
  auto* time = message.mutable_scheduled_enqueue_time();
  time->set_seconds(milliseconds / 1000);
  time->set_nanos(static_cast<std::int32_t>(milliseconds % 1000) * 1'000'000);
}

}  // namespace

void Scheduler::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 5))) {
    const bool cancels = !scheduled_.empty() && dice.Chance(35);
    if (!cancels && !life.progress.WaitForRoom(kBacklogMax)) return;
    status = cancels ? Cancel(client, dice) : Send(life, client, dice);
  }
}

Status Scheduler::Send(Life& life, RecordedClient& client, Dice& dice) {
  v1::Message message = messages_.Make(dice);
  SetDue(std::chrono::milliseconds(dice.Between(1, kMillisecondsMax)), message);
  const QueueIndex queue = dice.Chance(70) ? life.queues.orders : life.queues.retries;
  const MessageId id = ParseMessageId(message.message_id()).value();
  const Result<std::int64_t> number = client.SendOne(queue, message);
  if (!number.ok()) return number.status();
  if (scheduled_.size() == kRememberedMax) scheduled_.erase(scheduled_.begin());
  scheduled_.push_back({queue, id, *number});
  return {};
}

// It may have been enqueued long since: then the broker knows nothing under its old number.
Status Scheduler::Cancel(RecordedClient& client, Dice& dice) {
  // Mostly the last, whose time has not come.
  const std::size_t last = scheduled_.size() - 1;
  const std::size_t index = dice.Chance(60) ? last : dice.Below(scheduled_.size());
  const Scheduled chosen = scheduled_[index];
  Status status = client.Cancel(chosen.queue, chosen.id, chosen.number);
  // One whose outcome is unknown is cancelled again.
  if (!IsGone(status)) scheduled_.erase(scheduled_.begin() + static_cast<std::ptrdiff_t>(index));
  return status;
}

}  // namespace wharf::crash
