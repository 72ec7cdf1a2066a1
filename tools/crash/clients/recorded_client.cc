#include "tools/crash/clients/recorded_client.h"

#include <algorithm>
#include <utility>

#include "tools/client/error.h"

namespace wharf::crash {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(30);

Reply ReplyOf(const v1::SendResult& result) {
  if (!result.has_error()) return {};
  return crash::ReplyOf(client::ToStatus(result.error()));
}

Status StatusOf(const v1::TokenResult& result) {
  return result.has_error() ? client::ToStatus(result.error()) : Status::Ok();
}

// As long as two elections.
constexpr Duration kLeaderPatience = std::chrono::seconds(3);

}  // namespace

RecordedClient::RecordedClient(const std::string& address, Recorder& recorder, Progress& progress)
    : client_(address, {.has_own_connection = true, .timeout = kTimeout}),
      recorder_(recorder),
      progress_(progress),
      receiver_(recorder.NewReceiver()) {
  // Calls look for who leads, streams do not; whoever finds nobody hears it from them.
  static_cast<void>(client_.Connect(kLeaderPatience));
}

std::string RecordedClient::PathOf(const Source& source) {
  return crash::PathOf(recorder_.queue(source.queue), source.lane);
}

Status RecordedClient::Send(QueueIndex queue, const std::vector<v1::Message>& messages,
                            bool is_atomic) {
  return SendAll(queue, messages, is_atomic).status();
}

Result<std::int64_t> RecordedClient::SendOne(QueueIndex queue, const v1::Message& message) {
  const Result<v1::SendResponse> response = SendAll(queue, {message}, false);
  if (!response.ok()) return response.status();
  return response->results(0).sequence_number();
}

Status RecordedClient::Repeat(QueueIndex queue, const v1::Message& message) {
  v1::SendRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  *request.add_messages() = message;
  RepeatRecord repeat;
  repeat.queue = queue;
  repeat.id = ParseMessageId(message.message_id()).value();
  recorder_.Begin(repeat);
  const Result<v1::SendResponse> response = client_.Send(request);
  recorder_.End(repeat, response.status());
  if (response.ok()) {
    const v1::SendResult& result = response->results(0);
    repeat.is_duplicate = result.has_duplicate_of();
    repeat.sequence_number = repeat.is_duplicate ? result.duplicate_of() : result.sequence_number();
    progress_.NoteArrived(repeat.is_duplicate ? 0 : 1);
    progress_.NoteAcknowledged();
  }
  recorder_.Add(repeat);
  return response.status();
}

Result<v1::SendResponse> RecordedClient::SendAll(QueueIndex queue,
                                                 const std::vector<v1::Message>& messages,
                                                 bool is_atomic) {
  v1::SendRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.set_atomic(is_atomic);
  SendRecord send = recorder_.SendTo(queue);
  send.is_atomic = is_atomic;
  for (const v1::Message& message : messages) {
    *request.add_messages() = message;
    send.messages.push_back(Unsent(message));
  }
  recorder_.Begin(send);
  Result<v1::SendResponse> response = client_.Send(request);
  recorder_.End(send, response.status());
  std::uint64_t stored = 0;
  for (std::size_t i = 0; i < send.messages.size(); ++i) {
    SentMessage& message = send.messages[i];
    message.reply = send.reply;
    if (!response.ok()) continue;
    const v1::SendResult& result = response->results(static_cast<int>(i));
    message.reply = ReplyOf(result);
    message.sequence_number = result.sequence_number();
    stored += message.reply.answer == Answer::kOk ? 1 : 0;
  }
  recorder_.Add(std::move(send));
  if (stored == 0) return response;
  // Those of a large batch are sent for what becomes of them later, and not to end a life.
  if (IsBacklog(queue)) progress_.NoteArrived(stored);
  progress_.NoteAcknowledged(IsBacklog(queue) ? stored : 1);
  return response;
}

Result<std::vector<DeliveryRecord>> RecordedClient::Receive(const Source& source, Mode mode,
                                                            std::uint32_t messages_max,
                                                            Duration wait) {
  v1::ReceiveRequest request;
  request.set_entity_path(PathOf(source));
  request.set_max_messages(messages_max);
  SetDuration(wait, request.mutable_max_wait());
  request.set_mode(mode == Mode::kPeekLock ? v1::RECEIVE_MODE_PEEK_LOCK
                                           : v1::RECEIVE_MODE_RECEIVE_AND_DELETE);
  ReceiveRecord receive;
  receive.source = source;
  receive.mode = mode;
  receive.open_credit = messages_max;
  recorder_.Begin(receive);
  return Finish(receive, client_.Receive(request));
}

Result<std::vector<DeliveryRecord>> RecordedClient::Finish(
    ReceiveRecord& receive, const Result<v1::ReceiveResponse>& response) {
  recorder_.End(receive, response.status());
  if (receive.is_refused()) receive.open_credit = 0;
  if (response.ok()) {
    receive.open_credit -= std::min<std::uint64_t>(
        receive.open_credit, static_cast<std::uint64_t>(response->messages_size()));
  }
  recorder_.Add(receive);
  if (!response.ok()) return response.status();
  std::vector<DeliveryRecord> deliveries;
  for (const v1::ReceivedMessage& message : response->messages()) {
    deliveries.push_back(Delivery(receive.source, receive.mode, receiver_, message));
    deliveries.back().is_by_number = !receive.numbers.empty();
    deliveries.back().session_token = receive.session_token;
    deliveries.back().since = receive.begin;
    deliveries.back().at = recorder_.Now();
    recorder_.Add(deliveries.back());
  }
  if (receive.mode == Mode::kReceiveAndDelete) progress_.NoteGone(deliveries.size());
  if (!deliveries.empty()) progress_.NoteAcknowledged(deliveries.size());
  return deliveries;
}

Status RecordedClient::Settle(const Source& source, const std::vector<std::string>& tokens,
                              const Settling& settling, std::vector<std::string>& unsettled) {
  v1::SettleRequest request;
  request.set_entity_path(PathOf(source));
  *request.mutable_settlement() = MakeSettlement(settling, tokens);
  SettleRecord settle;
  settle.source = source;
  settle.verb = settling.verb;
  settle.mark = settling.mark;
  settle.delay = settling.delay;
  recorder_.Begin(settle);
  const Result<v1::SettleResponse> response = client_.Settle(request);
  recorder_.End(settle, response.status());
  std::uint64_t settled = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    settle.token = tokens[i];
    if (response.ok()) {
      settle.reply = crash::ReplyOf(StatusOf(response->results(static_cast<int>(i))));
    }
    if (settle.is_ok()) ++settled;
    if (settle.is_unknown()) unsettled.push_back(tokens[i]);
    recorder_.Add(settle);
  }
  if (settling.verb == Verb::kComplete && IsBacklog(source.queue)) progress_.NoteGone(settled);
  if (settled > 0) progress_.NoteAcknowledged(settled);
  // A request of one token fails as its token does, which was told; the broker is there.
  const bool is_of_token = tokens.size() == 1 && settle.reply.answer == Answer::kRefused;
  return is_of_token ? Status() : response.status();
}

Result<Timestamp> RecordedClient::RenewLock(const Source& source, const std::string& token) {
  v1::RenewLockRequest request;
  request.set_entity_path(PathOf(source));
  request.add_lock_tokens(token);
  RenewRecord renew;
  renew.source = source;
  renew.token = token;
  recorder_.Begin(renew);
  const Result<v1::RenewLockResponse> response = client_.RenewLock(request);
  Status status = response.ok() ? StatusOf(response->results(0)) : response.status();
  recorder_.End(renew, status);
  if (status.ok()) renew.locked_until = ToTimestamp(response->results(0).locked_until());
  recorder_.Add(renew);
  if (!status.ok()) return status;
  progress_.NoteAcknowledged();
  return renew.locked_until;
}

Result<std::int64_t> RecordedClient::Peek(const Source& source, std::int64_t from,
                                          std::uint32_t messages_max) {
  v1::PeekRequest request;
  request.set_entity_path(PathOf(source));
  request.set_from_sequence_number(from);
  request.set_max_messages(messages_max);
  PeekRecord peek;
  peek.source = source;
  recorder_.Begin(peek);
  const Result<v1::PeekResponse> response = client_.Peek(request);
  recorder_.End(peek, response.status());
  if (response.ok()) {
    for (const v1::ReceivedMessage& message : response->messages()) {
      peek.messages.push_back(Seen(message));
    }
  }
  recorder_.Add(std::move(peek));
  if (!response.ok()) return response.status();
  return response->next_sequence_number();
}

}  // namespace wharf::crash
