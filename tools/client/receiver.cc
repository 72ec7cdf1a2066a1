#include "tools/client/receiver.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "tools/client/lock_keeper.h"

namespace wharf::client {
namespace {

constexpr int kTokensPerRequestMax = 4500;
constexpr std::chrono::seconds kEndPatience(2);

// Whether tokens of both may travel in one settlement.
bool HaveSameVerb(const v1::Settlement& one, const v1::Settlement& other) {
  if (one.verb_case() != other.verb_case()) return false;
  switch (one.verb_case()) {
    case v1::Settlement::kAbandon:
      return one.abandon().SerializeAsString() == other.abandon().SerializeAsString();
    case v1::Settlement::kDeadLetter:
      return one.dead_letter().SerializeAsString() == other.dead_letter().SerializeAsString();
    case v1::Settlement::kDefer:
      return one.defer().SerializeAsString() == other.defer().SerializeAsString();
    case v1::Settlement::kComplete:
    case v1::Settlement::kRelease:
    case v1::Settlement::VERB_NOT_SET:
      break;
  }
  return true;
}

std::uint64_t BytesOf(const v1::Deliveries& deliveries) {
  std::uint64_t bytes = 0;
  for (const v1::ReceivedMessage& message : deliveries.messages()) bytes += message.size();
  return bytes;
}

// The failures among `tokens` [first, first + count).
std::vector<v1::TokenResult> FailuresAmong(const v1::Settlement& settlement, int first, int count,
                                           const v1::SettleOutcome& outcome) {
  std::set<std::string_view> tokens;
  for (int i = first; i < first + count; ++i) tokens.insert(settlement.lock_tokens(i));
  std::vector<v1::TokenResult> failures;
  for (const v1::TokenResult& failure : outcome.failures()) {
    if (tokens.contains(failure.lock_token())) failures.push_back(failure);
  }
  return failures;
}

}  // namespace

Receiver::Receiver(std::shared_ptr<Endpoints> endpoints, const std::string& entity_path,
                   Options options, MessagesCallback on_messages, SessionCallbacks on_sessions)
    : endpoints_(std::move(endpoints)),
      endpoint_(endpoints_->current()),
      options_(std::move(options)),
      on_messages_(std::move(on_messages)),
      on_sessions_(std::move(on_sessions)),
      prefetch_messages_(options_.prefetch_messages) {
  start_.mutable_start()->set_entity_path(entity_path);
  start_.mutable_start()->set_mode(options_.mode);
  Apply(options_.session, *start_.mutable_start());
  used_messages_ = options_.prefetch_messages;
  used_bytes_ = options_.prefetch_bytes.value_or(0);
  is_grant_due_ = true;
  endpoint_->stub<v1::Messaging::Stub>().async()->ReceiveStream(&context(), this);
  Begin();
}

Receiver::~Receiver() {
  bool idle = false;
  {
    MutexLock lock(mutex_);
    idle = unsettled_.empty() && under_way_.empty();
  }
  End(idle ? kEndPatience : std::chrono::seconds(0));
}

Result<std::vector<v1::ReceivedMessage>> Receiver::Receive(std::size_t messages_max,
                                                           Duration patience) {
  std::vector<v1::ReceivedMessage> messages;
  std::uint64_t bytes = 0;
  {
    MutexLock lock(mutex_);
    WaitForMessages(patience);
    if (arrived_.empty() && ended_) return end_;
    while (!arrived_.empty() && messages.size() < messages_max) {
      bytes += arrived_.front().size();
      messages.push_back(std::move(arrived_.front()));
      arrived_.pop_front();
    }
    Taken(messages.size(), bytes);
  }
  Pump();
  return messages;
}

void Receiver::WaitForMessages(Duration patience) {
  const bool is_unlimited = patience == kUnlimited;
  const auto deadline = std::chrono::steady_clock::now() + (is_unlimited ? Duration(0) : patience);
  while (arrived_.empty() && !ended_ && !is_interrupted_) {
    if (is_unlimited) {
      changed_.wait(mutex_);
    } else if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
      break;
    }
  }
}

Result<v1::AcceptedSession> Receiver::WaitForSession() {
  MutexLock lock(mutex_);
  while (!session_ && !ended_ && !is_interrupted_) changed_.wait(mutex_);
  if (session_) return *session_;
  if (ended_) return end_;
  return Status(ErrorCode::kServiceTimeout, "the wait for a session was interrupted");
}

void Receiver::Interrupt() {
  MutexLock lock(mutex_);
  is_interrupted_ = true;
  changed_.notify_all();
}

void Receiver::RaisePrefetch(std::uint32_t prefetch_messages) {
  {
    MutexLock lock(mutex_);
    if (prefetch_messages <= prefetch_messages_) return;
    used_messages_ += prefetch_messages - prefetch_messages_;
    prefetch_messages_ = prefetch_messages;
    is_grant_due_ = true;
  }
  Pump();
}

Duration Receiver::lock_duration() {
  MutexLock lock(mutex_);
  return lock_duration_;
}

void Receiver::Settle(v1::Settlement&& settlement, SettleCallback callback) {
  if (options_.keeper != nullptr) options_.keeper->Forget(settlement.lock_tokens());
  Status reason;
  {
    MutexLock lock(mutex_);
    if (ended_) {
      reason = {end_.code(), end_.message(), Outcome::kNotDone};
    } else {
      Enqueue(std::move(settlement), std::exchange(callback, nullptr));
    }
  }
  if (callback) return std::move(callback)(reason);
  Pump();
}

void Receiver::Enqueue(v1::Settlement&& settlement, SettleCallback callback) {
  const std::size_t count = settlement.lock_tokens_size();
  if (JoinsLastBatch(settlement)) {
    v1::Settlement& last = *unsettled_.back()->request.mutable_settle()->mutable_settlement();
    for (std::string& token : *settlement.mutable_lock_tokens()) {
      last.add_lock_tokens(std::move(token));
    }
  } else {
    unsettled_.push_back(std::make_unique<SettleBatch>());
    *unsettled_.back()->request.mutable_settle()->mutable_settlement() = std::move(settlement);
  }
  unsettled_.back()->parts.push_back({.token_count = count, .callback = std::move(callback)});
}

bool Receiver::JoinsLastBatch(const v1::Settlement& settlement) const {
  if (unsettled_.empty()) return false;
  const v1::Settlement& last = unsettled_.back()->request.settle().settlement();
  return last.lock_tokens_size() + settlement.lock_tokens_size() <= kTokensPerRequestMax &&
         HaveSameVerb(last, settlement);
}

Status Receiver::Flush() {
  MutexLock lock(mutex_);
  while (!unsettled_.empty() || !under_way_.empty() || reacting_) changed_.wait(mutex_);
  return end_;
}

Result<std::uint32_t> Receiver::Drain() { return Execute({.is_drain = true}); }

void Receiver::Resume() {
  {
    MutexLock lock(mutex_);
    is_paused_ = false;
    is_grant_due_ = true;
  }
  Pump();
}

Status Receiver::Stop() { return Execute({.is_drain = false}).status(); }

Result<std::uint32_t> Receiver::Execute(Control control) {
  {
    MutexLock lock(mutex_);
    if (ended_) return end_;
    controls_.push_back(&control);
  }
  Pump();
  MutexLock lock(mutex_);
  while ((!control.is_answered && !ended_) || reacting_) changed_.wait(mutex_);
  std::erase(controls_, &control);
  if (!control.is_answered) return end_;
  return control.thrown_away;
}

const v1::ReceiveStreamRequest* Receiver::NextRequest() {
  if (!is_started_) {
    is_started_ = true;
    return &start_;
  }
  if (is_grant_due_ && !is_paused_) {
    is_grant_due_ = false;
    if (const auto* grant = NextGrant(); grant != nullptr) return grant;
  }
  if (const auto* control = NextControl(); control != nullptr) return control;
  return NextSettlement();
}

const v1::ReceiveStreamRequest* Receiver::NextGrant() {
  std::uint64_t messages = used_messages_;
  if (options_.messages_max != 0) {
    messages = std::min(messages, options_.messages_max - granted_messages_);
  }
  // Messages that were granted may still wait for bytes.
  if (messages == 0 && used_bytes_ == 0) return nullptr;
  v1::ReceiveCredit& credit = *grant_.mutable_grant();
  credit.set_messages(static_cast<std::uint32_t>(messages));
  if (options_.prefetch_bytes.has_value()) credit.set_bytes(used_bytes_);
  granted_messages_ += messages;
  bytes_left_ += used_bytes_;
  used_messages_ -= messages;
  used_bytes_ = 0;
  return &grant_;
}

const v1::ReceiveStreamRequest* Receiver::NextControl() {
  for (Control* control : controls_) {
    if (control->is_written) continue;
    control->is_written = true;
    is_paused_ = true;
    if (control->is_drain) {
      control_.mutable_drain();
    } else {
      control_.mutable_stop();
    }
    return &control_;
  }
  return nullptr;
}

const v1::ReceiveStreamRequest* Receiver::NextSettlement() {
  if (unsettled_.empty()) return nullptr;
  std::unique_ptr<SettleBatch> batch = std::move(unsettled_.front());
  unsettled_.pop_front();
  writing_settlement_ = ++last_request_id_;
  batch->request.mutable_settle()->set_request_id(writing_settlement_);
  const v1::ReceiveStreamRequest* request = &batch->request;
  under_way_.emplace(writing_settlement_, std::move(batch));
  return request;
}

void Receiver::OnWritten() {
  writing_settlement_ = 0;
  answered_early_.reset();
}

void Receiver::OnResponse(v1::ReceiveStreamResponse& response) {
  switch (response.response_case()) {
    case v1::ReceiveStreamResponse::kDeliveries:
      return OnDeliveries(*response.mutable_deliveries());
    case v1::ReceiveStreamResponse::kHeader:
      return OnLargeHeader(*response.mutable_header());
    case v1::ReceiveStreamResponse::kChunk:
      return OnLargeChunk(response.chunk());
    case v1::ReceiveStreamResponse::kSettled:
      return OnSettled(*response.mutable_settled());
    case v1::ReceiveStreamResponse::kDrained:
      return OnControlAnswered(response.drained());
    case v1::ReceiveStreamResponse::kStopped:
      return OnControlAnswered({});
    case v1::ReceiveStreamResponse::kSessionAccepted:
      return OnSessionAccepted(response.session_accepted());
    case v1::ReceiveStreamResponse::kSessionEnded:
      if (on_sessions_.on_ended) on_sessions_.on_ended(*this, response.session_ended());
      return;
    case v1::ReceiveStreamResponse::kStarted:
      return OnStarted(response.started());
    case v1::ReceiveStreamResponse::kRenewed:
    case v1::ReceiveStreamResponse::RESPONSE_NOT_SET:
      return;
  }
}

void Receiver::OnStarted(const v1::ReceiveStarted& started) {
  using google::protobuf::util::TimeUtil;
  MutexLock lock(mutex_);
  lock_duration_ = Duration(TimeUtil::DurationToMicroseconds(started.lock_duration()));
}

void Receiver::OnSessionAccepted(const v1::AcceptedSession& session) {
  if (on_sessions_.on_accepted) on_sessions_.on_accepted(*this, session);
  MutexLock lock(mutex_);
  session_ = session;
  changed_.notify_all();
}

void Receiver::OnDeliveries(v1::Deliveries& deliveries) {
  const std::size_t count = deliveries.messages_size();
  const std::uint64_t bytes = BytesOf(deliveries);
  for (const v1::ReceivedMessage& message : deliveries.messages()) Keep(message);
  if (on_messages_) {
    on_messages_(*this, deliveries);
    MutexLock lock(mutex_);
    return Taken(count, bytes);
  }
  MutexLock lock(mutex_);
  for (v1::ReceivedMessage& message : *deliveries.mutable_messages()) {
    arrived_.push_back(std::move(message));
  }
  changed_.notify_all();
}

void Receiver::OnLargeHeader(v1::LargeDeliveryHeader& header) {
  large_.Clear();
  *large_.add_messages() = std::move(*header.mutable_message());
  large_bytes_missing_ = header.body_size();
  Keep(large_.messages(0));  // Its lock holds already, however long the chunks take.
}

void Receiver::Keep(const v1::ReceivedMessage& message) {
  if (options_.keeper == nullptr || message.lock_token().empty()) return;
  options_.keeper->Keep(message.lock_token(), lock_duration());
}

void Receiver::OnLargeChunk(const v1::MessageChunk& chunk) {
  if (large_.messages().empty()) return Cancel();  // A chunk of nothing.
  large_.mutable_messages(0)->mutable_message()->mutable_body()->append(chunk.data());
  large_bytes_missing_ -= static_cast<std::int64_t>(chunk.data().size());
  if (large_bytes_missing_ > 0) return;
  OnDeliveries(large_);
  large_.Clear();
}

// Messages left the prefetch; their credit comes back when half of all is used.
void Receiver::Taken(std::size_t messages, std::uint64_t bytes) {
  used_messages_ += messages;
  // One message may be larger than the credit that was left, and takes no more than that.
  const std::uint64_t counted = std::min(bytes, bytes_left_);
  bytes_left_ -= counted;
  used_bytes_ += counted;
  if (used_messages_ * 2 >= prefetch_messages_ ||
      (options_.prefetch_bytes.has_value() && used_bytes_ * 2 >= *options_.prefetch_bytes)) {
    is_grant_due_ = true;
  }
}

void Receiver::OnSettled(v1::SettleOutcome& outcome) {
  std::unique_ptr<SettleBatch> batch;
  {
    MutexLock lock(mutex_);
    const auto found = under_way_.find(outcome.request_id());
    if (found == under_way_.end()) return;
    batch = std::move(found->second);
    under_way_.erase(found);
  }
  const v1::Settlement& settlement = batch->request.settle().settlement();
  int first = 0;
  for (SettleBatch::Part& part : batch->parts) {
    SettleReceipt receipt;
    if (!outcome.failures().empty()) {
      receipt.failures =
          FailuresAmong(settlement, first, static_cast<int>(part.token_count), outcome);
    }
    receipt.settled_count = part.token_count - receipt.failures.size();
    first += static_cast<int>(part.token_count);
    std::move(part.callback)(std::move(receipt));
  }
  MutexLock lock(mutex_);
  if (writing_settlement_ == outcome.request_id()) answered_early_ = std::move(batch);
}

// The oldest written one is answered: answers come in the order of the requests.
void Receiver::OnControlAnswered(const v1::ReceiveCredit& thrown_away) {
  MutexLock lock(mutex_);
  for (Control* control : controls_) {
    if (control->is_answered) continue;
    control->is_answered = true;
    control->thrown_away = thrown_away.messages();
    return GiveBack(thrown_away);
  }
}

// Credit that no message used.
void Receiver::GiveBack(const v1::ReceiveCredit& credit) {
  used_messages_ += credit.messages();
  granted_messages_ -= std::min<std::uint64_t>(credit.messages(), granted_messages_);
  const std::uint64_t bytes = std::min(credit.bytes(), bytes_left_);
  bytes_left_ -= bytes;
  used_bytes_ += bytes;
}

void Receiver::OnEnded(const Status& status) {
  if (!was_ended_here()) endpoints_->NoteEnd(*endpoint_, status);
  std::vector<std::unique_ptr<SettleBatch>> under_way;
  std::deque<std::unique_ptr<SettleBatch>> unsettled;
  {
    MutexLock lock(mutex_);
    for (auto& [id, batch] : under_way_) under_way.push_back(std::move(batch));
    under_way_.clear();
    unsettled.swap(unsettled_);
  }
  // A broker that stops in order has answered all that it did.
  const bool is_known = (status.code() == ErrorCode::kServiceCommunicationProblem ||
                         status.code() == ErrorCode::kPartitionNotOwned) &&
                        status.outcome() == Outcome::kNotDone;
  const Status reason(status.code(), status.message(),
                      is_known ? Outcome::kNotDone : Outcome::kUnknown);
  for (const auto& batch : under_way) {
    for (SettleBatch::Part& part : batch->parts) std::move(part.callback)(reason);
  }
  const Status not_done(status.code(), status.message(), Outcome::kNotDone);
  for (const auto& batch : unsettled) {
    for (SettleBatch::Part& part : batch->parts) std::move(part.callback)(not_done);
  }
}

}  // namespace wharf::client
