#include "tools/crash/load/receiving/stream_receiver.h"

#include <utility>

#include "tools/client/error.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(100);

QueueIndex DrawQueue(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 50) return queues.orders;
  return lot < 65 ? queues.relays : queues.retries;
}

Source DrawSource(const LoadQueues& queues, Dice& dice) {
  return {.queue = DrawQueue(queues, dice),
          .lane = dice.Chance(20) ? Lane::kDeadLetter : Lane::kMain};
}

// On a thread of gRPC.
void OnSettled(Life& life, SettleRecord& settle, const Result<client::SettleReceipt>& receipt) {
  Status status = receipt.status();
  if (receipt.ok() && !receipt->failures.empty()) {
    status = client::ToStatus(receipt->failures[0].error());
  }
  life.recorder.End(settle, status);
  life.recorder.Add(settle);
  if (IsGone(status)) life.held_locks.Hold({settle.source, settle.token});
  if (!status.ok()) return;
  if (settle.verb == Verb::kComplete) life.progress.NoteGone(1);
  life.progress.NoteAcknowledged();
}

void Settle(Life& life, client::Receiver& receiver, const DeliveryRecord& delivery,
            const Settling& settling) {
  SettleRecord settle;
  settle.source = delivery.source;
  settle.token = delivery.token;
  settle.verb = settling.verb;
  settle.mark = settling.mark;
  settle.delay = settling.delay;
  life.recorder.Begin(settle);
  receiver.Settle(MakeSettlement(settling, {delivery.token}),
                  [&life, settle](const Result<client::SettleReceipt>& receipt) mutable {
                    OnSettled(life, settle, receipt);
                  });
}

}  // namespace

void StreamReceiver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  bool goes_on = true;
  while (goes_on) {
    const Source source = DrawSource(life.queues, dice);
    ReceiveRecord record;
    record.source = source;
    const auto prefetch = static_cast<std::uint32_t>(dice.Between(1, 32));
    life.recorder.Begin(record);
    const auto receiver = client.client().CreateReceiver(
        PathOf(life.recorder.queue(source.queue), source.lane), {.prefetch_messages = prefetch});
    const Status ended = RunStream(life, record, *receiver, dice);
    life.recorder.End(record, ended);
    if (!record.is_ok()) record.open_credit = prefetch;
    life.recorder.Add(record);
    goes_on = ended.ok() && !life.progress.is_over();
  }
}

// Ends politely, after the last delivery: what the broker sent has been received, if it lives.
Status StreamReceiver::RunStream(Life& life, const ReceiveRecord& record,
                                 client::Receiver& receiver, Dice& dice) {
  const Source& source = record.source;
  const std::uint32_t number = life.recorder.NewReceiver();
  std::uint64_t left = dice.Between(1, 60);
  bool is_stopped = false;
  while (true) {
    auto messages = receiver.Receive(8, is_stopped ? Duration(0) : kPatience);
    if (!messages.ok()) return messages.status();
    if (messages->empty() && is_stopped) break;
    for (const v1::ReceivedMessage& message : *messages) {
      DeliveryRecord delivery = Delivery(source, Mode::kPeekLock, number, message);
      delivery.since = record.begin;
      delivery.at = life.recorder.Now();
      life.recorder.Add(delivery);
      const Fate fate = DrawFate(delivery, dice);
      if (fate == Fate::kHold) life.held_locks.Hold({source, delivery.token});
      if (fate == Fate::kHold || fate == Fate::kForget) continue;
      Settle(life, receiver, delivery, SettlingFor(fate, dice));
    }
    left -= std::min<std::uint64_t>(left, std::max<std::size_t>(messages->size(), 5));
    if (left > 0 || is_stopped) continue;
    // If it broke, Receive says so once everything that came was taken.
    static_cast<void>(receiver.Stop());
    is_stopped = true;
  }
  return receiver.Flush();
}

}  // namespace wharf::crash
