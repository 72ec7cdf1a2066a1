#include "tools/crash/load/sending/stream_sender.h"

#include <utility>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

// Small, so that a stream has many requests on their way rather than one large one.
constexpr client::SenderOptions kOptions = {
    .window_messages = 48, .window_bytes = 4 << 20, .request_messages_max = 4};

SendRecord RecordOf(Recorder& recorder, QueueIndex queue, const v1::Message& message) {
  SendRecord send = recorder.SendTo(queue);
  send.messages.push_back({.id = ParseMessageId(message.message_id()).value(),
                           .body = DigestOf(message.body()),
                           .reply = {},
                           .sequence_number = 0});
  return send;
}

QueueIndex DrawStreamed(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 50) return queues.orders;
  return lot < 70 ? queues.inbox : queues.drops;
}

// On a thread of gRPC.
void OnReceipt(Life& life, SendRecord& send, const Result<client::SendReceipt>& receipt) {
  life.recorder.End(send, receipt.status());
  send.messages[0].reply = send.reply;
  if (receipt.ok()) send.messages[0].sequence_number = receipt->sequence_number;
  life.recorder.Add(std::move(send));
  if (!receipt.ok()) return;
  life.progress.NoteArrived(1);
  life.progress.NoteAcknowledged();
}

}  // namespace

void StreamSender::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  bool goes_on = true;
  while (goes_on) {
    const QueueIndex queue = DrawStreamed(life.queues, dice);
    const auto sender =
        client.client().CreateSender(PathOf(life.recorder.queue(queue), Lane::kMain), kOptions);
    goes_on = RunStream(life, queue, *sender, dice);
  }
}

bool StreamSender::RunStream(Life& life, QueueIndex queue, client::Sender& sender, Dice& dice) {
  for (std::uint64_t left = dice.Between(1, 200); left > 0; --left) {
    if (!life.progress.WaitForRoom(kBacklogMax)) break;
    v1::Message message = messages_.Make(dice);
    SendRecord send = RecordOf(life.recorder, queue, message);
    life.recorder.Begin(send);
    sender.Send(std::move(message), [&life, send = std::move(send)](
                                        const Result<client::SendReceipt>& receipt) mutable {
      OnReceipt(life, send, receipt);
    });
  }
  // Ok as long as the stream stands.
  return sender.Flush().ok() && !life.progress.is_over();
}

}  // namespace wharf::crash
