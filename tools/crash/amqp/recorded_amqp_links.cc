// The links of RecordedAmqp by which it receives, and settles what it received.

#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/amqp/recorded_amqp.h"

namespace wharf::crash {
namespace {

Timestamp WallTime() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace

Result<RecordedAmqp::Receiving> RecordedAmqp::Receive(const Source& source, Mode mode,
                                                      std::uint32_t credit) {
  Receiving receiving;
  receiving.record.source = source;
  receiving.record.mode = mode;
  receiving.credit = credit;
  return Open(std::move(receiving), ReceiverFrom(PathOf(source), mode));
}

// What holds a session has no token; it gets a name for what it holds.
Result<RecordedAmqp::Receiving> RecordedAmqp::AcceptSession(
    QueueIndex queue, const std::optional<std::string>& session, Duration wait,
    std::uint32_t credit) {
  Receiving receiving;
  receiving.record.source = {.queue = queue};
  receiving.credit = credit;
  SessionAcceptRecord accept;
  accept.queue = queue;
  accept.session = session.value_or("");
  accept.is_of_link = true;
  Begin(accept);
  const auto opened = client_->Open(SessionReceiverFrom(PathOf({.queue = queue}), session, wait));
  life_.recorder.End(accept, opened.status());
  const std::optional<GotSession> got = opened.ok() ? SessionOf(opened->answer) : std::nullopt;
  if (got) {
    accept.session = got->session;
    accept.locked_until = got->until;
    accept.token = fmt::format("link-{}", accept.end);
  }
  life_.recorder.Add(accept);
  if (!opened.ok()) return opened.status();
  if (!got) return Status(ErrorCode::kGeneralError, "the answer names no session");
  life_.progress.NoteAcknowledged();
  receiving.record.session_token = accept.token;
  receiving.session = accept;
  receiving.link = opened->link;
  receiving.receiver = life_.recorder.NewReceiver();
  Begin(receiving.record);
  client_->SetCredit(receiving.link, credit);
  return receiving;
}

Result<RecordedAmqp::Receiving> RecordedAmqp::Open(Receiving receiving, amqp::Attach attach) {
  Begin(receiving.record);
  const auto opened = client_->Open(std::move(attach));
  if (!opened.ok()) {
    life_.recorder.End(receiving.record, opened.status());
    life_.recorder.Add(receiving.record);
    return opened.status();
  }
  receiving.link = opened->link;
  receiving.receiver = life_.recorder.NewReceiver();
  client_->SetCredit(receiving.link, receiving.credit);
  return receiving;
}

Result<std::optional<RecordedAmqp::Got>> RecordedAmqp::Next(Receiving& receiving,
                                                            Duration patience) {
  const auto received = client_->AwaitMessage(receiving.link, patience);
  if (!received.ok()) return received.status();
  if (!*received) return std::optional<Got>();
  Result<DeliveryRecord> record = Note(receiving, **received);
  if (!record.ok()) return record.status();
  if (receiving.credit > 0) client_->SetCredit(receiving.link, receiving.credit);
  return std::optional(Got{*std::move(record), (*received)->delivery});
}

Result<DeliveryRecord> RecordedAmqp::Note(const Receiving& receiving,
                                          const AmqpClient::Received& received) {
  Result<DeliveryRecord> record = DecodeDelivery(received.message, received.tag);
  if (!record.ok()) return record;
  record->source = receiving.record.source;
  record->mode = receiving.record.mode;
  record->receiver = receiving.receiver;
  record->session_token = receiving.record.session_token;
  record->since = receiving.record.begin;
  record->at = life_.recorder.Now();
  life_.recorder.Add(*record);
  if (record->mode == Mode::kReceiveAndDelete) life_.progress.NoteGone(1);
  life_.progress.NoteAcknowledged();
  return record;
}

// What came before the link, or the broker, was gone was heard, too.
void RecordedAmqp::NoteRest(const Receiving& receiving) {
  while (const auto received = client_->Take(receiving.link)) {
    const Result<DeliveryRecord> record = Note(receiving, *received);
    const bool is_held = record.ok() && record->mode == Mode::kPeekLock && !receiving.session;
    if (is_held) life_.held_locks.Hold({record->source, record->token});
  }
}

void RecordedAmqp::Settle(const Receiving& receiving, const Got& got, const Settling& settling) {
  SettleRecord settle;
  settle.source = got.record.source;
  settle.token = got.record.token;
  settle.verb = settling.verb;
  settle.mark = settling.mark;
  settle.delay = settling.delay;
  const bool is_in_session = receiving.session.has_value();
  Begin(settle);
  client_->Settle(receiving.link, got.delivery, OutcomeOf(settling, WallTime()),
                  [this, settle, is_in_session](const Result<amqp::DeliveryState>& state) mutable {
                    life_.recorder.End(settle, state.status());
                    life_.recorder.Add(settle);
                    if (IsGone(state.status()) && !is_in_session) {
                      life_.held_locks.Hold({settle.source, settle.token});
                    }
                    if (!state.ok()) return;
                    if (settle.verb == Verb::kComplete) life_.progress.NoteGone(1);
                    life_.progress.NoteAcknowledged();
                  });
}

Result<std::vector<RecordedAmqp::Got>> RecordedAmqp::Finish(Receiving& receiving) {
  std::vector<Got> rest;
  WHARF_RETURN_IF_ERROR(client_->Drain(receiving.link));
  receiving.credit = 0;
  while (true) {
    Result<std::optional<Got>> got = Next(receiving, Duration(0));
    if (!got.ok()) return got.status();
    if (!*got) return rest;
    rest.push_back(**std::move(got));
  }
}

// With the link goes its session, without counting (CNT-9).
void RecordedAmqp::End(Receiving& receiving, const Status& why) {
  NoteRest(receiving);
  Status ended = why;
  if (ended.ok()) {
    SessionUseRecord release;
    Begin(release);
    release.began_at = WallTime();
    ended = client_->Detach(receiving.link);
    life_.recorder.End(release, ended);
    if (receiving.session) {
      release.queue = receiving.session->queue;
      release.token = receiving.session->token;
      release.verb = SessionVerb::kRelease;
      life_.recorder.Add(release);
    }
  }
  life_.recorder.End(receiving.record, ended);
  if (!receiving.record.is_ok()) receiving.record.open_credit = receiving.credit;
  life_.recorder.Add(receiving.record);
}

void RecordedAmqp::Leave(Receiving& receiving) {
  NoteRest(receiving);
  SessionUseRecord leave;
  Begin(leave);
  client_.reset();
  life_.recorder.End(leave, {});
  if (receiving.session) {
    leave.queue = receiving.session->queue;
    leave.token = receiving.session->token;
    leave.verb = SessionVerb::kLeave;
    life_.recorder.Add(leave);
  }
  life_.recorder.End(receiving.record, {});
  receiving.record.is_left = true;
  receiving.record.open_credit = receiving.credit;
  life_.recorder.Add(receiving.record);
}

}  // namespace wharf::crash
