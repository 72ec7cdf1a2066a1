#include "tools/crash/amqp/recorded_amqp.h"

#include <utility>

#include "broker/doors/amqp/message/batch.h"

namespace wharf::crash {

std::unique_ptr<RecordedAmqp> RecordedAmqp::Dial(Life& life) {
  auto client = AmqpClient::Dial(life.amqp_addresses);
  if (!client.ok()) return nullptr;
  return std::unique_ptr<RecordedAmqp>(new RecordedAmqp(*std::move(client), life));
}

std::string RecordedAmqp::PathOf(const Source& source) {
  return crash::PathOf(life_.recorder.queue(source.queue), source.lane);
}

Result<amqp::LinkId> RecordedAmqp::SenderTo(QueueIndex queue) {
  const auto known = senders_.find(queue);
  if (known != senders_.end() && client_->StateOf(known->second).ok()) return known->second;
  auto opened = client_->Open(crash::SenderTo(PathOf({.queue = queue})));
  if (!opened.ok()) return opened.status();
  senders_[queue] = opened->link;
  return opened->link;
}

Status RecordedAmqp::Send(QueueIndex queue, const std::vector<v1::Message>& messages,
                          bool is_batch) {
  const Result<amqp::LinkId> link = SenderTo(queue);
  if (!link.ok()) return link.status();
  SendRecord batch = life_.recorder.SendTo(queue);
  batch.is_atomic = true;
  for (const v1::Message& message : messages) {
    batch.messages.push_back(Unsent(message));
    if (is_batch) continue;
    SendRecord send = life_.recorder.SendTo(queue);
    send.messages.push_back(Unsent(message));
    Send(*link, std::move(send), {.message = EncodeMessage(message)});
  }
  if (is_batch) {
    Send(*link, std::move(batch), {.message = EncodeBatch(messages), .format = amqp::kBatchFormat});
  }
  return client_->AwaitAnswers();
}

// Numbers are not told.
void RecordedAmqp::Send(amqp::LinkId link, SendRecord send, AmqpClient::Sending sending) {
  Begin(send);
  client_->Send(link, std::move(sending),
                [this, send](const Result<amqp::DeliveryState>& state) mutable {
                  life_.recorder.End(send, state.status());
                  for (SentMessage& message : send.messages) message.reply = send.reply;
                  const std::size_t count = send.messages.size();
                  life_.recorder.Add(std::move(send));
                  if (!state.ok()) return;
                  life_.progress.NoteArrived(count);
                  life_.progress.NoteAcknowledged(count);
                });
}

}  // namespace wharf::crash
