#include "tools/crash/rest/recorded_rest.h"

#include <utility>

#include "tools/crash/clients/exchange.h"
#include "tools/crash/clients/wire.h"

namespace wharf::crash {

std::string RecordedRest::PathOf(const Source& source) {
  return crash::PathOf(life_.recorder.queue(source.queue), source.lane);
}

template <typename Record>
Result<RestClient::Answer> RecordedRest::Ask(Record& record, RestClient::Request request,
                                             Asked asked) {
  Begin(record);
  Result<RestClient::Answer> answer = client_.Ask(std::move(request));
  Status status = answer.ok() ? StatusOf(*answer, asked) : answer.status();
  life_.recorder.End(record, status);
  if (!status.ok()) return status;
  return answer;
}

Status RecordedRest::Send(QueueIndex queue, const v1::Message& message) {
  WHARF_RETURN_IF_ERROR(client_.Prepare());
  SendRecord send = life_.recorder.SendTo(queue);
  send.messages.push_back(Unsent(message));
  return Send(std::move(send), SendOf(PathOf({.queue = queue}), message));
}

Status RecordedRest::SendBatch(QueueIndex queue, const std::vector<v1::Message>& messages) {
  WHARF_RETURN_IF_ERROR(client_.Prepare());
  SendRecord send = life_.recorder.SendTo(queue);
  send.is_atomic = true;
  for (const v1::Message& message : messages) send.messages.push_back(Unsent(message));
  return Send(std::move(send), SendOf(PathOf({.queue = queue}), messages));
}

// Numbers are not told.
Status RecordedRest::Send(SendRecord send, RestClient::Request request) {
  const auto answer = Ask(send, std::move(request), Asked::kSend);
  for (SentMessage& message : send.messages) message.reply = send.reply;
  const std::size_t count = send.messages.size();
  life_.recorder.Add(std::move(send));
  if (!answer.ok()) return answer.status();
  life_.progress.NoteArrived(count);
  life_.progress.NoteAcknowledged(count);
  return {};
}

Result<std::optional<DeliveryRecord>> RecordedRest::Receive(const Source& source, Mode mode) {
  WHARF_RETURN_IF_ERROR(client_.Prepare());
  ReceiveRecord receive;
  receive.source = source;
  receive.mode = mode;
  receive.open_credit = 1;
  const auto answer = Ask(receive, ReceiveOf(PathOf(source), mode), Asked::kReceive);
  const bool has_message =
      answer.ok() && answer->result() != boost::beast::http::status::no_content;
  if (receive.is_refused() || has_message) receive.open_credit = 0;
  life_.recorder.Add(receive);
  if (!answer.ok()) return answer.status();
  if (!has_message) return std::optional<DeliveryRecord>();
  Result<DeliveryRecord> delivery = DecodeDelivery(*answer);
  if (!delivery.ok()) return delivery.status();
  delivery->source = source;
  delivery->mode = mode;
  delivery->receiver = receiver_;
  delivery->since = receive.begin;
  delivery->at = life_.recorder.Now();
  life_.recorder.Add(*delivery);
  if (mode == Mode::kReceiveAndDelete) life_.progress.NoteGone(1);
  life_.progress.NoteAcknowledged();
  return std::optional(*std::move(delivery));
}

Status RecordedRest::Settle(const HeldLock& lock, Verb verb) {
  WHARF_RETURN_IF_ERROR(client_.Prepare());
  SettleRecord settle;
  settle.source = lock.source;
  settle.token = lock.token;
  settle.verb = verb;
  const LockVerb as = verb == Verb::kComplete ? LockVerb::kComplete : LockVerb::kUnlock;
  const auto answer = Ask(settle, UseOf(PathOf(lock.source), lock.token, as), Asked::kLock);
  if (settle.is_unknown()) life_.held_locks.Hold(lock);
  life_.recorder.Add(settle);
  if (!answer.ok()) return answer.status();
  if (verb == Verb::kComplete) life_.progress.NoteGone(1);
  life_.progress.NoteAcknowledged();
  return {};
}

Status RecordedRest::Renew(const HeldLock& lock) {
  WHARF_RETURN_IF_ERROR(client_.Prepare());
  RenewRecord renew;
  renew.source = lock.source;
  renew.token = lock.token;
  renew.rounding = kHttpRounding;
  const auto answer =
      Ask(renew, UseOf(PathOf(lock.source), lock.token, LockVerb::kRenew), Asked::kLock);
  const Result<Timestamp> until = answer.ok() ? LockedUntilOf(*answer) : answer.status();
  if (until.ok()) renew.locked_until = *until;
  life_.recorder.Add(renew);
  if (!until.ok()) return until.status();
  life_.progress.NoteAcknowledged();
  return {};
}

}  // namespace wharf::crash
