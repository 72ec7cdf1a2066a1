#include "tools/crash/recorded_client.h"

#include <utility>

#include <absl/strings/numbers.h>

#include "tools/client/error.h"

namespace wharf::crash {
namespace {

constexpr char kMark[] = "mark";
constexpr std::uint32_t kPeekMax = 250;
// Locks end while a census is taken, and then it must be taken again.
constexpr int kCensusAttempts = 1000;
constexpr Duration kTimeout = std::chrono::seconds(30);

Timestamp ToTimestamp(const google::protobuf::Timestamp& proto) {
  return Timestamp(std::chrono::seconds(proto.seconds())) +
         std::chrono::microseconds(proto.nanos() / 1000);
}

void SetDuration(Duration span, google::protobuf::Duration* proto) {
  proto->set_seconds(span / std::chrono::seconds(1));
  proto->set_nanos(static_cast<std::int32_t>(span % std::chrono::seconds(1) / Duration(1)) * 1000);
}

void SetMark(std::int64_t mark, google::protobuf::Map<std::string, v1::PropertyValue>* properties) {
  if (mark != 0) (*properties)[kMark].set_int64_value(mark);
}

Reply ReplyOf(const v1::SendResult& result) {
  if (!result.has_error()) return {};
  return crash::ReplyOf(client::ToStatus(result.error()));
}

// What is known of a message before it is sent.
SentMessage Unsent(const v1::Message& message) {
  SentMessage sent;
  sent.id = ParseMessageId(message.message_id()).value();
  sent.body = DigestOf(message.body());
  if (message.has_scheduled_enqueue_time()) {
    sent.due = ToTimestamp(message.scheduled_enqueue_time());
  }
  return sent;
}

State StateOf(v1::MessageState state) {
  if (state == v1::MESSAGE_STATE_SCHEDULED) return State::kScheduled;
  return state == v1::MESSAGE_STATE_DEFERRED ? State::kDeferred : State::kActive;
}

Status StatusOf(const v1::TokenResult& result) {
  return result.has_error() ? client::ToStatus(result.error()) : Status::Ok();
}

bool HaveEqualCounts(const v1::QueueRuntimeProperties& one, const v1::QueueRuntimeProperties& two) {
  return one.active_message_count() == two.active_message_count() &&
         one.locked_message_count() == two.locked_message_count() &&
         one.deferred_message_count() == two.deferred_message_count() &&
         one.dead_letter_message_count() == two.dead_letter_message_count() &&
         one.scheduled_message_count() == two.scheduled_message_count() &&
         one.size_in_bytes() == two.size_in_bytes();
}

}  // namespace

bool IsGone(const Status& status) {
  return !status.ok() && (status.outcome() == Outcome::kUnknown ||
                          status.code() == ErrorCode::kServiceCommunicationProblem);
}

SeenMessage Seen(const v1::ReceivedMessage& received) {
  SeenMessage seen;
  const v1::Message& message = received.message();
  // An id that none of ours has stands for what nobody sent.
  seen.id = ParseMessageId(message.message_id()).value_or(MessageId{});
  seen.sequence_number = received.sequence_number();
  seen.body = DigestOf(message.body());
  seen.delivery_count = received.delivery_count();
  const auto mark = message.application_properties().find(kMark);
  if (mark != message.application_properties().end()) seen.mark = mark->second.int64_value();
  seen.size = received.size();
  seen.enqueued_at = ToTimestamp(received.enqueued_time());
  seen.state = StateOf(received.state());
  if (received.has_expires_at()) seen.expires_at = ToTimestamp(received.expires_at());
  const auto reason = message.application_properties().find("DeadLetterReason");
  if (reason != message.application_properties().end()) {
    seen.reason = reason->second.string_value();
  }
  if (received.has_available_at()) seen.available_at = ToTimestamp(received.available_at());
  return seen;
}

DeliveryRecord Delivery(const Source& source, Mode mode, std::uint32_t receiver,
                        const v1::ReceivedMessage& received) {
  DeliveryRecord delivery;
  static_cast<SeenMessage&>(delivery) = Seen(received);
  delivery.source = source;
  delivery.mode = mode;
  delivery.receiver = receiver;
  delivery.token = received.lock_token();
  delivery.locked_until = ToTimestamp(received.locked_until());
  return delivery;
}

v1::Settlement MakeSettlement(const Settling& settling, const std::vector<std::string>& tokens) {
  v1::Settlement settlement;
  for (const std::string& token : tokens) settlement.add_lock_tokens(token);
  switch (settling.verb) {
    case Verb::kComplete:
      settlement.mutable_complete();
      break;
    case Verb::kAbandon:
      SetMark(settling.mark, settlement.mutable_abandon()->mutable_properties_to_modify());
      if (settling.delay > Duration(0)) {
        SetDuration(settling.delay, settlement.mutable_abandon()->mutable_delay());
      }
      break;
    case Verb::kDeadLetter:
      settlement.mutable_dead_letter()->set_reason("drawn by lot");
      SetMark(settling.mark, settlement.mutable_dead_letter()->mutable_properties_to_modify());
      break;
    case Verb::kRelease:
      settlement.mutable_release();
      break;
    case Verb::kDefer:
      SetMark(settling.mark, settlement.mutable_defer()->mutable_properties_to_modify());
      break;
  }
  return settlement;
}

std::string PathOf(const QueueRecord& queue, Lane lane) {
  return lane == Lane::kMain ? queue.name : queue.name + "/$DeadLetterQueue";
}

RecordedClient::RecordedClient(const std::string& address, Recorder& recorder, Progress& progress)
    : client_(address, {.has_own_connection = true, .timeout = kTimeout}),
      recorder_(recorder),
      progress_(progress),
      receiver_(recorder.NewReceiver()) {}

std::string RecordedClient::PathOf(const Source& source) {
  return crash::PathOf(recorder_.queue(source.queue), source.lane);
}

v1::QueueProperties RecordedClient::Properties(QueueIndex index, std::uint64_t version) {
  const QueueRecord queue = recorder_.queue(index);
  v1::QueueProperties properties;
  properties.set_name(queue.name);
  SetDuration(queue.lock_duration, properties.mutable_lock_duration());
  properties.set_max_delivery_count(static_cast<std::int32_t>(queue.max_delivery_count));
  properties.set_max_message_size_in_kilobytes(queue.message_kilobytes_max);
  properties.set_requires_duplicate_detection(queue.drops_duplicates);
  if (queue.time_to_live > Duration(0)) {
    SetDuration(queue.time_to_live, properties.mutable_default_message_time_to_live());
    properties.set_dead_lettering_on_message_expiration(true);
  }
  properties.set_user_metadata(std::to_string(version));
  return properties;
}

Status RecordedClient::CreateQueue(QueueIndex queue) {
  return Change(queue, QueueVerb::kCreate, 0);
}

Status RecordedClient::UpdateQueue(QueueIndex queue, std::uint64_t version) {
  return Change(queue, QueueVerb::kUpdate, version);
}

Status RecordedClient::DeleteQueue(QueueIndex queue) {
  return Change(queue, QueueVerb::kDelete, 0);
}

Status RecordedClient::LookAtQueue(QueueIndex queue) { return Change(queue, QueueVerb::kLook, 0); }

Status RecordedClient::Change(QueueIndex queue, QueueVerb verb, std::uint64_t version) {
  QueueChange change;
  change.queue = queue;
  change.verb = verb;
  change.version = version;
  recorder_.Begin(change);
  Status status = Execute(change);
  recorder_.End(change, status);
  recorder_.Add(change);
  if (status.ok()) progress_.NoteAcknowledged();
  return status;
}

Status RecordedClient::Execute(QueueChange& change) {
  client::Management& management = client_.management();
  const v1::QueueProperties properties = Properties(change.queue, change.version);
  switch (change.verb) {
    case QueueVerb::kCreate:
      return management.CreateQueue(properties).status();
    case QueueVerb::kUpdate:
      return management.UpdateQueue(properties).status();
    case QueueVerb::kDelete:
      return management.DeleteQueue(properties.name());
    case QueueVerb::kLook:
      break;
  }
  const Result<v1::QueueProperties> found = management.GetQueue(properties.name());
  if (!found.ok()) return found.status();
  if (absl::SimpleAtoi(found->user_metadata(), &change.version)) return {};
  return {ErrorCode::kGeneralError, "the queue's metadata is not what was written"};
}

Status RecordedClient::ListQueues() {
  QueueListRecord list;
  list.begin = recorder_.Now();
  std::string page_token;
  do {
    const Result<v1::ListQueuesResponse> page = client_.management().ListQueues(page_token);
    if (!page.ok()) return page.status();
    for (const v1::QueueProperties& queue : page->queues()) list.names.push_back(queue.name());
    page_token = page->next_page_token();
  } while (!page_token.empty());
  recorder_.Add(list);
  return {};
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
  SendRecord send;
  send.queue = queue;
  send.is_atomic = is_atomic;
  for (const v1::Message& message : messages) {
    *request.add_messages() = message;
    send.messages.push_back(Unsent(message));
  }
  recorder_.Begin(send);
  const Result<v1::SendResponse> response = client_.Send(request);
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
  progress_.NoteArrived(stored);
  if (stored > 0) progress_.NoteAcknowledged(stored);
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
  if (!receive.is_unknown()) receive.open_credit = 0;
  recorder_.Add(receive);
  if (!response.ok()) return response.status();
  std::vector<DeliveryRecord> deliveries;
  for (const v1::ReceivedMessage& message : response->messages()) {
    deliveries.push_back(Delivery(receive.source, receive.mode, receiver_, message));
    deliveries.back().is_by_number = !receive.numbers.empty();
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
  if (settling.verb == Verb::kComplete) progress_.NoteGone(settled);
  if (settled > 0) progress_.NoteAcknowledged(settled);
  return response.status();
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

Result<v1::QueueRuntimeProperties> RecordedClient::Counters(QueueIndex queue) {
  return client_.management().GetQueueRuntimeProperties(recorder_.queue(queue).name);
}

Status RecordedClient::PeekAll(const Source& source, std::vector<SeenMessage>& messages) {
  v1::PeekRequest request;
  request.set_entity_path(PathOf(source));
  request.set_max_messages(kPeekMax);
  messages.clear();
  while (true) {
    const Result<v1::PeekResponse> response = client_.Peek(request);
    if (!response.ok()) return response.status();
    for (const v1::ReceivedMessage& message : response->messages()) {
      messages.push_back(Seen(message));
    }
    if (!response->has_next_sequence_number()) return {};
    request.set_from_sequence_number(response->next_sequence_number());
  }
}

// The broker itself still ends locks and moves what failed too often: if the counters changed
// meanwhile, everything is looked at anew.
Status RecordedClient::TakeCensus(QueueIndex queue) {
  CensusRecord census;
  census.queue = queue;
  for (int attempt = 0; attempt < kCensusAttempts; ++attempt) {
    census.begin = recorder_.Now();
    const Result<v1::QueueRuntimeProperties> before = Counters(queue);
    if (!before.ok()) return before.status();
    WHARF_RETURN_IF_ERROR(PeekAll({queue, Lane::kMain}, census.active));
    WHARF_RETURN_IF_ERROR(PeekAll({queue, Lane::kDeadLetter}, census.dead_letters));
    const Result<v1::QueueRuntimeProperties> after = Counters(queue);
    if (!after.ok()) return after.status();
    census.end = recorder_.Now();
    if (!HaveEqualCounts(*before, *after)) continue;
    census.active_count = after->active_message_count();
    census.locked_count = after->locked_message_count();
    census.dead_letter_count = after->dead_letter_message_count();
    census.scheduled_count = after->scheduled_message_count();
    census.total_count = after->total_message_count();
    census.bytes = after->size_in_bytes();
    recorder_.Add(std::move(census));
    return {};
  }
  return {ErrorCode::kGeneralError, "the counters of a queue never stand still"};
}

}  // namespace wharf::crash
