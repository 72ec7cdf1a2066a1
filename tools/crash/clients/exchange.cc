#include "tools/crash/clients/exchange.h"

#include <utility>

#include "tools/crash/clients/wire.h"

namespace wharf::crash {

SentMessage Unsent(const v1::Message& message) {
  SentMessage sent;
  sent.id = ParseMessageId(message.message_id()).value();
  sent.body = DigestOf(message.body());
  sent.session = message.session_id();
  if (message.has_time_to_live()) sent.time_to_live = ToDuration(message.time_to_live());
  if (message.has_scheduled_enqueue_time()) {
    sent.due = ToTimestamp(message.scheduled_enqueue_time());
  }
  return sent;
}

void Record(const Exchange& exchange, std::int64_t number, Recorder& recorder) {
  SendRecord send = exchange.send;
  static_cast<Operation&>(send) = static_cast<const Operation&>(exchange.settle);
  send.messages.front().reply = send.reply;
  send.messages.front().sequence_number = number;
  recorder.Add(std::move(send));
  recorder.Add(exchange.settle);
}

}  // namespace wharf::crash
