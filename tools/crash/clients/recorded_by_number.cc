// The calls of RecordedClient that name messages by their numbers.

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {

Status RecordedClient::Cancel(QueueIndex queue, const MessageId& id, std::int64_t number) {
  v1::CancelScheduledMessagesRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.add_sequence_numbers(number);
  CancelRecord cancel;
  cancel.queue = queue;
  cancel.id = id;
  recorder_.Begin(cancel);
  Status status = client_.CancelScheduledMessages(request).status();
  recorder_.End(cancel, status);
  recorder_.Add(cancel);
  if (!status.ok()) return status;
  progress_.NoteGone(1);
  progress_.NoteAcknowledged();
  return status;
}

Status RecordedClient::Move(QueueIndex queue, const MessageId& id, std::int64_t number,
                            Timestamp due) {
  v1::RescheduleMessagesRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.add_sequence_numbers(number);
  SetTimestamp(due, request.mutable_scheduled_enqueue_time());
  MoveRecord move;
  move.queue = queue;
  move.id = id;
  move.due = due;
  recorder_.Begin(move);
  Status status = client_.RescheduleMessages(request).status();
  recorder_.End(move, status);
  recorder_.Add(move);
  if (status.ok()) progress_.NoteAcknowledged();
  return status;
}

Status RecordedClient::Activate(QueueIndex queue, const MessageId& id, std::int64_t number) {
  v1::ActivateScheduledMessagesRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.add_sequence_numbers(number);
  ActivateRecord activation;
  activation.queue = queue;
  activation.id = id;
  recorder_.Begin(activation);
  const Result<v1::ActivateScheduledMessagesResponse> response =
      client_.ActivateScheduledMessages(request);
  recorder_.End(activation, response.status());
  if (response.ok()) activation.sequence_number = response->sequence_numbers(0);
  recorder_.Add(activation);
  if (response.ok()) progress_.NoteAcknowledged();
  return response.status();
}

Result<std::vector<DeliveryRecord>> RecordedClient::ReceiveDeferred(
    QueueIndex queue, const std::vector<std::int64_t>& numbers) {
  v1::ReceiveDeferredRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  for (const std::int64_t number : numbers) request.add_sequence_numbers(number);
  ReceiveRecord receive;
  receive.source = {.queue = queue};
  receive.open_credit = numbers.size();
  receive.numbers = numbers;
  recorder_.Begin(receive);
  return Finish(receive, client_.ReceiveDeferred(request));
}

Status RecordedClient::Undefer(QueueIndex queue, const std::vector<std::int64_t>& numbers) {
  v1::UndeferMessagesRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  for (const std::int64_t number : numbers) request.add_sequence_numbers(number);
  UndeferRecord undefer;
  undefer.queue = queue;
  undefer.numbers = numbers;
  recorder_.Begin(undefer);
  Status status = client_.UndeferMessages(request).status();
  recorder_.End(undefer, status);
  recorder_.Add(std::move(undefer));
  if (status.ok()) progress_.NoteAcknowledged();
  return status;
}

Result<std::vector<std::int64_t>> RecordedClient::FindDeferred(QueueIndex queue,
                                                               std::uint32_t messages_max) {
  v1::PeekRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.set_max_messages(messages_max);
  request.set_filter(v1::PEEK_FILTER_DEFERRED);
  PeekRecord peek;
  peek.source = {.queue = queue};
  recorder_.Begin(peek);
  const Result<v1::PeekResponse> response = client_.Peek(request);
  recorder_.End(peek, response.status());
  std::vector<std::int64_t> numbers;
  if (response.ok()) {
    for (const v1::ReceivedMessage& message : response->messages()) {
      peek.messages.push_back(Seen(message));
      numbers.push_back(message.sequence_number());
    }
  }
  recorder_.Add(std::move(peek));
  if (!response.ok()) return response.status();
  return numbers;
}

}  // namespace wharf::crash
