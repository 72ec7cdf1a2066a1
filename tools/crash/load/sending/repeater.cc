#include "tools/crash/load/sending/repeater.h"

namespace wharf::crash {
namespace {

constexpr std::size_t kRememberedMax = 8;

}  // namespace

void Repeater::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  // What was under way when the last life ended comes first.
  Status status = sent_.empty() ? Status() : client.Repeat(life.queues.singles, sent_.back());
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 10))) {
    const bool repeats = !sent_.empty() && dice.Chance(50);
    if (!repeats && !life.progress.WaitForRoom(kBacklogMax)) return;
    status = repeats ? Repeat(life, client, dice) : Send(life, client, dice);
  }
}

Status Repeater::Send(Life& life, RecordedClient& client, Dice& dice) {
  v1::Message message = messages_.Make(dice);
  Status status = client.Send(life.queues.singles, {message}, false);
  if (!status.ok() && status.outcome() != Outcome::kUnknown) return status;
  if (sent_.size() == kRememberedMax) sent_.erase(sent_.begin());
  sent_.push_back(std::move(message));
  return status;
}

Status Repeater::Repeat(Life& life, RecordedClient& client, Dice& dice) {
  return client.Repeat(life.queues.singles, sent_[dice.Below(sent_.size())]);
}

}  // namespace wharf::crash
