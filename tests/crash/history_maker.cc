#include "tests/crash/history_maker.h"

#include <utility>

namespace wharf::crash {
namespace {

constexpr std::int64_t kMessageBytes = 100;

BodyDigest BodyOf(const MessageId& id) { return {.size = 10, .checksum = id.counter}; }

}  // namespace

HistoryMaker::HistoryMaker() {
  AddQueue(
      {.name = "orders", .lock_duration = kLockDuration, .max_delivery_count = kMaxDeliveryCount});
  life_.begin = Next();
  life_.is_ready = true;
  life_.ready_at = now_;
}

QueueIndex HistoryMaker::AddQueue(QueueRecord queue) {
  history_.queues.push_back(std::move(queue));
  return history_.queues.size() - 1;
}

QueueIndex HistoryMaker::AddConsumedQueue() {
  return AddQueue({.name = "drops", .lock_duration = kLockDuration, .is_consumed = true});
}

void HistoryMaker::Fill(Operation& operation, Answer answer) {
  operation.begin = Next();
  operation.end = Next();
  operation.began_at = operation.ended_at = now_;
  operation.reply.answer = answer;
  if (answer == Answer::kRefused) operation.reply.code = ErrorCode::kMessageLockLost;
  if (answer != Answer::kUnknown) return;
  operation.reply.code = ErrorCode::kServiceCommunicationProblem;
  operation.end = kNoTick - 1;  // After every kill that is to come.
}

void HistoryMaker::Send(const MessageId& id, Answer answer, QueueIndex queue) {
  SendRecord& send = SendAtomic({id}, answer);
  send.is_atomic = false;
  send.queue = queue;
}

void HistoryMaker::SendWithNumber(const MessageId& id, std::int64_t number) {
  last_number_ = number - 1;
  Send(id);
}

void HistoryMaker::SendVia(QueueIndex source, const MessageId& id, std::int64_t number,
                           Answer answer) {
  Send(id, answer);
  history_.sends.back().via = source;
  first_numbers_[id] = numbers_[id];
  numbers_[id] = number;
}

SendRecord& HistoryMaker::SendAtomic(const std::vector<MessageId>& ids, Answer answer) {
  SendRecord& send = history_.sends.emplace_back();
  Fill(send, answer);
  if (answer == Answer::kRefused) send.reply.code = ErrorCode::kMessageSizeExceeded;
  send.is_atomic = true;
  for (const MessageId& id : ids) {
    numbers_[id] = ++last_number_;
    sent_at_[id] = now_;
    sessions_[id] = session_;
    send.messages.push_back({id, BodyOf(id), send.reply, last_number_, {}, session_});
  }
  return send;
}

RepeatRecord& HistoryMaker::Repeat(const MessageId& id, std::int64_t number, Answer answer) {
  RepeatRecord& repeat = history_.repeats.emplace_back();
  Fill(repeat, answer);
  repeat.id = id;
  repeat.sequence_number = number;
  repeat.is_duplicate = true;
  return repeat;
}

void HistoryMaker::Schedule(const MessageId& id, Duration wait, Answer answer) {
  Send(id, answer);
  history_.sends.back().messages[0].due = now_ + wait;
  states_[id] = State::kScheduled;
  dues_[id] = now_ + wait;
}

void HistoryMaker::Enqueue(const MessageId& id) {
  numbers_[id] = ++last_number_;
  states_[id] = State::kActive;
}

CancelRecord& HistoryMaker::Cancel(const MessageId& id, Answer answer) {
  CancelRecord& cancel = history_.cancels.emplace_back();
  Fill(cancel, answer);
  if (answer == Answer::kRefused) cancel.reply.code = ErrorCode::kMessageNotFound;
  cancel.id = id;
  return cancel;
}

MoveRecord& HistoryMaker::Move(const MessageId& id, Duration wait, Answer answer) {
  MoveRecord& move = history_.moves.emplace_back();
  Fill(move, answer);
  if (answer == Answer::kRefused) move.reply.code = ErrorCode::kMessageNotFound;
  move.id = id;
  move.due = now_ + wait;
  if (answer == Answer::kOk) dues_[id] = move.due;
  return move;
}

ActivateRecord& HistoryMaker::Activate(const MessageId& id, Answer answer) {
  ActivateRecord& activation = history_.activations.emplace_back();
  Fill(activation, answer);
  if (answer == Answer::kRefused) activation.reply.code = ErrorCode::kMessageNotFound;
  activation.id = id;
  activation.sequence_number = last_number_ + 1;
  return activation;
}

PurgeRecord& HistoryMaker::Purge(std::int64_t count, Lane lane, Answer answer) {
  PurgeRecord& purge = history_.purges.emplace_back();
  Fill(purge, answer);
  if (answer == Answer::kRefused) purge.reply.code = ErrorCode::kServiceBusy;
  purge.source.lane = lane;
  purge.purged_count = count;
  return purge;
}

RedriveRecord& HistoryMaker::Redrive(std::int64_t job, Answer answer) {
  RedriveRecord& redrive = history_.redrives.emplace_back();
  Fill(redrive, answer);
  if (answer == Answer::kRefused) redrive.reply.code = ErrorCode::kQuotaExceeded;
  redrive.job = job;
  return redrive;
}

JobLookRecord& HistoryMaker::LookAtJob(std::int64_t job, std::int64_t done_count) {
  JobLookRecord& look = history_.job_looks.emplace_back();
  Fill(look, Answer::kOk);
  look.job = job;
  look.state = JobState::kCompleted;
  look.examined_count = look.matched_count = look.done_count = done_count;
  return look;
}

void HistoryMaker::SendBack(const MessageId& id) {
  ++redrives_[id];
  Enqueue(id);
}

SeenMessage HistoryMaker::See(const MessageId& id) {
  SeenMessage seen;
  seen.id = id;
  seen.sequence_number = numbers_[id];
  seen.body = BodyOf(id);
  seen.size = kMessageBytes;
  seen.enqueued_at = now_;
  seen.state = states_[id];
  seen.first_number = first_numbers_[id];
  seen.redrives = redrives_[id];
  seen.session = sessions_[id];
  if (seen.state == State::kScheduled) seen.due = dues_[id];
  const Duration time_to_live = history_.queues[0].time_to_live;
  if (time_to_live > Duration(0)) {
    seen.enqueued_at = sent_at_[id];
    seen.expires_at = seen.enqueued_at + time_to_live;
  }
  return seen;
}

DeliveryRecord& HistoryMaker::Deliver(const MessageId& id, const std::string& token) {
  return Deliver(id, token, Delivery{});
}

DeliveryRecord& HistoryMaker::Deliver(const MessageId& id, const std::string& token,
                                      const Delivery& how) {
  DeliveryRecord& delivery = history_.deliveries.emplace_back();
  static_cast<SeenMessage&>(delivery) = See(id);
  delivery.since = Next();
  delivery.at = Next();
  delivery.source = {how.queue, how.lane};
  delivery.mode = how.mode;
  delivery.receiver = how.receiver;
  delivery.is_by_number = how.is_by_number;
  delivery.session_token = how.session;
  delivery.token = token;
  delivery.locked_until = now_ + kLockDuration;
  delivery.delivery_count = how.count;
  delivery.mark = how.mark;
  sources_[token] = delivery.source;
  return delivery;
}

SettleRecord& HistoryMaker::Settle(const std::string& token, Verb verb, Answer answer,
                                   std::int64_t mark) {
  SettleRecord& settle = history_.settles.emplace_back();
  Fill(settle, answer);
  settle.source = sources_[token];
  settle.token = token;
  settle.verb = verb;
  settle.mark = mark;
  return settle;
}

RenewRecord& HistoryMaker::Renew(const std::string& token, Answer answer) {
  RenewRecord& renew = history_.renews.emplace_back();
  Fill(renew, answer);
  renew.source = sources_[token];
  renew.token = token;
  renew.locked_until = now_ + kLockDuration;
  return renew;
}

ReceiveRecord& HistoryMaker::ReceiveUnheard(Mode mode, QueueIndex queue) {
  ReceiveRecord& receive = history_.receives.emplace_back();
  Fill(receive, Answer::kUnknown);
  receive.source.queue = queue;
  receive.mode = mode;
  receive.open_credit = 1;
  return receive;
}

ReceiveRecord& HistoryMaker::ReceiveDeferred(const MessageId& id, Answer answer) {
  ReceiveRecord& receive = history_.receives.emplace_back();
  Fill(receive, answer);
  if (answer == Answer::kRefused) receive.reply.code = ErrorCode::kMessageNotFound;
  receive.numbers = {numbers_[id]};
  return receive;
}

UndeferRecord& HistoryMaker::Undefer(const MessageId& id, Answer answer) {
  UndeferRecord& undefer = history_.undefers.emplace_back();
  Fill(undefer, answer);
  undefer.numbers = {numbers_[id]};
  return undefer;
}

void HistoryMaker::Delay(const std::string& token, Duration delay, Answer answer) {
  Settle(token, Verb::kAbandon, answer).delay = delay;
}

void HistoryMaker::SetSession(const std::string& session) {
  history_.queues[0].requires_session = true;
  session_ = session;
}

SessionAcceptRecord& HistoryMaker::Accept(const std::string& session, const std::string& token,
                                          Answer answer) {
  SessionAcceptRecord& accept = history_.session_accepts.emplace_back();
  Fill(accept, answer);
  if (answer == Answer::kRefused) accept.reply.code = ErrorCode::kSessionCannotBeLocked;
  accept.session = session;
  if (answer != Answer::kOk) return accept;
  accept.token = token;
  accept.locked_until = now_ + kLockDuration;
  return accept;
}

SessionUseRecord& HistoryMaker::UseSession(const std::string& token, SessionVerb verb,
                                           Answer answer) {
  SessionUseRecord& use = history_.session_uses.emplace_back();
  Fill(use, answer);
  if (answer == Answer::kRefused) use.reply.code = ErrorCode::kSessionLockLost;
  use.token = token;
  use.verb = verb;
  if (answer == Answer::kOk) use.locked_until = now_ + kLockDuration;
  return use;
}

SessionUseRecord& HistoryMaker::ReadState(const std::string& token, std::int64_t state) {
  SessionUseRecord& use = UseSession(token, SessionVerb::kGetState);
  use.state = state;
  return use;
}

void HistoryMaker::SetState(const std::string& token, std::int64_t state,
                            const std::vector<std::string>& completes, Answer answer) {
  SessionUseRecord& use = UseSession(token, SessionVerb::kSetState, answer);
  use.state = state;
  use.completes = completes;
  // The kill that is to come ends it.
  if (answer == Answer::kUnknown) use.end = tick_ + 2;
  for (const std::string& message : completes) {
    SettleRecord& settle = history_.settles.emplace_back();
    static_cast<Operation&>(settle) = static_cast<const Operation&>(use);
    settle.token = message;
  }
}

ReceiveRecord& HistoryMaker::ReceiveFromSession(const std::string& token, Answer answer) {
  ReceiveRecord& receive = history_.receives.emplace_back();
  Fill(receive, answer);
  if (answer == Answer::kRefused) receive.reply.code = ErrorCode::kSessionLockLost;
  if (answer == Answer::kUnknown) receive.open_credit = 1;
  receive.session_token = token;
  return receive;
}

SeenMessage& HistoryMaker::Peek(const MessageId& id) {
  PeekRecord& peek = history_.peeks.emplace_back();
  Fill(peek, Answer::kOk);
  return peek.messages.emplace_back(See(id));
}

CensusRecord& HistoryMaker::Census(const std::vector<MessageId>& active,
                                   const std::vector<MessageId>& dead_letters, QueueIndex queue) {
  CensusRecord& census = history_.censuses.emplace_back();
  census.begin = Next();
  census.end = Next();
  census.began_at = census.ended_at = now_;
  census.queue = queue;
  for (const MessageId& id : active) census.active.push_back(See(id));
  for (const MessageId& id : dead_letters) census.dead_letters.push_back(See(id));
  for (const SeenMessage& seen : census.active) {
    ++(seen.state == State::kScheduled ? census.scheduled_count : census.active_count);
  }
  census.dead_letter_count = static_cast<std::int64_t>(dead_letters.size());
  census.total_count = census.active_count + census.scheduled_count + census.dead_letter_count;
  census.bytes = census.total_count * kMessageBytes;
  return census;
}

QueueChange& HistoryMaker::Change(QueueVerb verb, Answer answer, QueueIndex queue,
                                  std::uint64_t version) {
  QueueChange& change = history_.queue_changes.emplace_back();
  Fill(change, answer);
  change.queue = queue;
  change.verb = verb;
  change.version = version;
  return change;
}

void HistoryMaker::List(const std::vector<std::string>& names) {
  history_.queue_lists.push_back({.begin = Next(), .names = names});
}

LifeRecord& HistoryMaker::EndLife(bool is_killed) {
  life_.is_killed = is_killed;
  life_.signal = Next();
  LifeRecord& ended = history_.lives.emplace_back(life_);
  life_.begin = Next();
  life_.ready_at = now_;
  return ended;
}

LifeRecord& HistoryMaker::Kill() { return EndLife(true); }

LifeRecord& HistoryMaker::Stop() { return EndLife(false); }

History HistoryMaker::history() {
  EndLife(false);
  return history_;
}

}  // namespace wharf::crash
