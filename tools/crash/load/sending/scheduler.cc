#include "tools/crash/load/sending/scheduler.h"

#include <utility>

namespace wharf::crash {
namespace {

constexpr std::size_t kRememberedMax = 10;
constexpr std::uint64_t kMillisecondsMax = 1200;

// The broker's clock is that of this machine.
Timestamp DrawDue(Dice& dice) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return now + std::chrono::milliseconds(dice.Between(1, kMillisecondsMax));
}

QueueIndex DrawScheduled(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 60) return queues.orders;
  return lot < 85 ? queues.retries : queues.scraps;
}

}  // namespace

void Scheduler::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 5))) {
    const bool changes = !scheduled_.empty() && dice.Chance(50);
    if (!changes && !life.progress.WaitForRoom(kBacklogMax)) return;
    status = changes ? Change(client, dice) : Send(life, client, dice);
  }
}

Status Scheduler::Send(Life& life, RecordedClient& client, Dice& dice) {
  v1::Message message = messages_.Make(dice);
  SetTimestamp(DrawDue(dice), message.mutable_scheduled_enqueue_time());
  const QueueIndex queue = DrawScheduled(life.queues, dice);
  const MessageId id = ParseMessageId(message.message_id()).value();
  const Result<std::int64_t> number = client.SendOne(queue, message);
  if (!number.ok()) return number.status();
  if (scheduled_.size() == kRememberedMax) scheduled_.erase(scheduled_.begin());
  scheduled_.push_back({queue, id, *number});
  return {};
}

// It may have been enqueued long since: then the broker knows nothing under its old number.
Status Scheduler::Change(RecordedClient& client, Dice& dice) {
  // Mostly the last, whose time has not come.
  const std::size_t last = scheduled_.size() - 1;
  const std::size_t index = dice.Chance(60) ? last : dice.Below(scheduled_.size());
  const auto [queue, id, number] = scheduled_[index];
  const std::uint64_t lot = dice.Below(100);
  if (lot < 30) {
    Status moved = client.Move(queue, id, number, DrawDue(dice));
    if (moved.ok() || IsGone(moved)) return moved;
  }
  Status status = lot < 60 ? client.Activate(queue, id, number) : client.Cancel(queue, id, number);
  // One whose outcome is unknown is asked for again.
  if (!IsGone(status)) scheduled_.erase(scheduled_.begin() + static_cast<std::ptrdiff_t>(index));
  return status;
}

}  // namespace wharf::crash
