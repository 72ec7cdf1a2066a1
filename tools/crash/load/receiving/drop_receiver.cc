#include "tools/crash/load/receiving/drop_receiver.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(100);

}  // namespace

void DropReceiver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  const Source source{.queue = life.queues.drops};
  if (dice.Chance(50)) {
    RunCalls(life, client, source, dice);
  } else {
    RunStream(life, client, source, dice);
  }
}

void DropReceiver::RunCalls(Life& life, RecordedClient& client, const Source& source, Dice& dice) {
  Status status;
  while (!IsGone(status) && !life.progress.is_over()) {
    const auto messages_max = static_cast<std::uint32_t>(dice.Between(1, 5));
    status = client.Receive(source, Mode::kReceiveAndDelete, messages_max, kPatience).status();
  }
}

// One stream for all of the life: what was on its way is gone if the broker died, and has come if
// it stopped in order, or lives longer than its leader.
void DropReceiver::RunStream(Life& life, RecordedClient& client, const Source& source, Dice& dice) {
  const std::uint32_t number = life.recorder.NewReceiver();
  ReceiveRecord record;
  record.source = source;
  record.mode = Mode::kReceiveAndDelete;
  record.open_credit = dice.Between(1, 10);
  life.recorder.Begin(record);
  const auto receiver = client.client().CreateReceiver(
      PathOf(life.recorder.queue(source.queue), source.lane),
      {.mode = v1::RECEIVE_MODE_RECEIVE_AND_DELETE,
       .prefetch_messages = static_cast<std::uint32_t>(record.open_credit)});
  Status status;
  bool is_stopped = false;
  while (status.ok()) {
    const auto messages = receiver->Receive(8, is_stopped ? Duration(0) : kPatience);
    status = messages.status();
    if (!messages.ok() || (is_stopped && messages->empty())) break;
    for (const v1::ReceivedMessage& message : *messages) {
      DeliveryRecord delivery = Delivery(source, record.mode, number, message);
      delivery.since = record.begin;
      delivery.at = life.recorder.Now();
      life.recorder.Add(delivery);
    }
    if (!messages->empty()) {
      life.progress.NoteGone(messages->size());
      life.progress.NoteAcknowledged(messages->size());
    }
    if (is_stopped || !life.progress.is_over()) continue;
    // If it broke, Receive says so once everything that came was taken.
    static_cast<void>(receiver->Stop());
    is_stopped = true;
  }
  if (status.ok()) record.open_credit = 0;
  life.recorder.End(record, status);
  life.recorder.Add(record);
}

}  // namespace wharf::crash
