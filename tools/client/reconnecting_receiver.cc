#include "tools/client/reconnecting_receiver.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "tools/client/lock_keeper.h"

namespace wharf::client {
namespace {

// The result of a settlement that may have been done before.
SettleReceipt ReceiptOfRepeated(const v1::SettleResponse& response, bool is_unknown) {
  SettleReceipt receipt;
  for (const v1::TokenResult& result : response.results()) {
    const bool is_lost =
        result.has_error() && ToStatus(result.error()).code() == ErrorCode::kMessageLockLost;
    if (result.has_error() && !(is_lost && is_unknown)) {
      receipt.failures.push_back(result);
      continue;
    }
    receipt.settled_count++;
    receipt.presumed_count += is_lost ? 1 : 0;
  }
  return receipt;
}

}  // namespace

ReconnectingReceiver::ReconnectingReceiver(Client& client, std::string entity_path,
                                           Receiver::Options options, ReconnectOptions reconnect,
                                           Receiver::SessionCallbacks on_sessions)
    : client_(client),
      entity_path_(std::move(entity_path)),
      options_(std::move(options)),
      reconnection_(client, std::move(reconnect)),
      on_sessions_(std::move(on_sessions)),
      receiver_(NewReceiver()) {}

std::shared_ptr<Receiver> ReconnectingReceiver::NewReceiver() {
  opened_at_ = std::chrono::steady_clock::now();
  return client_.CreateReceiver(
      entity_path_, OptionsOfRest(), nullptr,
      {.on_accepted =
           [this](Receiver& receiver, const v1::AcceptedSession& session) {
             NoteAccepted(session);
             if (on_sessions_.on_accepted) on_sessions_.on_accepted(receiver, session);
           },
       .on_ended =
           [this](Receiver& receiver, const v1::SessionEnded& session) {
             NoteEnded(session.session_lock_token());
             if (on_sessions_.on_ended) on_sessions_.on_ended(receiver, session);
           }});
}

// For what is still to come; if that is nothing, the stream settles only.
Receiver::Options ReconnectingReceiver::OptionsOfRest() const {
  Receiver::Options options = options_;
  if (options.messages_max == 0) return options;
  options.messages_max -= std::min(options.messages_max, received_);
  if (options.messages_max == 0) options.prefetch_messages = 0;
  return options;
}

std::shared_ptr<Receiver> ReconnectingReceiver::receiver() {
  MutexLock lock(mutex_);
  return receiver_;
}

Result<std::vector<v1::ReceivedMessage>> ReconnectingReceiver::Receive(std::size_t messages_max,
                                                                       Duration patience) {
  if (lost_) return AfterLoss(*lost_, patience);
  auto messages = receiver()->Receive(messages_max, patience);
  if (messages.ok()) {
    NoteReceived(messages->size());
    return messages;
  }
  return AfterEnd(messages.status(), patience);
}

Result<std::vector<v1::ReceivedMessage>> ReconnectingReceiver::AfterEnd(const Status& reason,
                                                                        Duration patience) {
  if (Reconnection::IsLapsed(reason, opened_at_)) {
    Replace();
    return Messages();
  }
  if (!reconnection_.is_wanted(reason)) return reason;
  if (IsWaitOver(reason)) {
    Replace();
    return Messages();
  }
  if (!IsLost(reason)) return reason;
  lost_ = reason;
  was_lost_ = true;
  return AfterLoss(*lost_, patience);
}

// Who held a session may still be known for a while as its holder: that passes.
bool ReconnectingReceiver::IsLost(const Status& status) const {
  return Reconnection::IsLost(status) ||
         (was_lost_ && status.code() == ErrorCode::kSessionCannotBeLocked);
}

// No session had anything for as long as a broker lets a stream wait.
bool ReconnectingReceiver::IsWaitOver(const Status& status) {
  const auto* next = std::get_if<NextSession>(&options_.session);
  if (next == nullptr || next->max_wait != kUnlimited) return false;
  MutexLock lock(mutex_);
  return status.code() == ErrorCode::kServiceTimeout && !is_interrupted_;
}

void ReconnectingReceiver::NoteAccepted(const v1::AcceptedSession& session) {
  MutexLock lock(mutex_);
  sessions_.emplace(session.session_lock_token(), session.session_id());
}

void ReconnectingReceiver::NoteEnded(const std::string& session_lock_token) {
  MutexLock lock(mutex_);
  sessions_.erase(session_lock_token);
}

// A broker that was killed still holds them for the stream that is lost, and whoever renews them
// would keep them from everyone. An error if the broker is lost again.
Status ReconnectingReceiver::ReleaseSessions() {
  std::map<std::string, std::string> sessions;
  {
    MutexLock lock(mutex_);
    sessions = sessions_;
  }
  for (const auto& [token, id] : sessions) {
    Status released = client_.sessions().ReleaseSession(entity_path_, token);
    if (Reconnection::IsLost(released)) return released;
    NoteEnded(token);
    v1::SessionEnded ended;
    ended.set_session_id(id);
    ended.set_session_lock_token(token);
    if (on_sessions_.on_ended) on_sessions_.on_ended(*receiver(), ended);
  }
  return Status::Ok();
}

void ReconnectingReceiver::NoteReceived(std::size_t count) {
  if (count == 0) return;
  received_ += count;
  if (std::exchange(was_lost_, false)) reconnection_.Succeeded();
}

Result<std::vector<v1::ReceivedMessage>> ReconnectingReceiver::AfterLoss(const Status& reason,
                                                                         Duration patience) {
  const Result<bool> is_back = reconnection_.TryAgain(reason, patience);
  if (!is_back.ok()) return is_back.status();
  if (!*is_back || !Repeat().ok() || !ReleaseSessions().ok()) return Messages();
  lost_.reset();
  Replace();
  return Messages();
}

void ReconnectingReceiver::Replace() {
  std::shared_ptr<Receiver> next = NewReceiver();
  MutexLock lock(mutex_);
  if (is_interrupted_) next->Interrupt();
  receiver_.swap(next);
}

Result<v1::AcceptedSession> ReconnectingReceiver::WaitForSession() {
  while (true) {
    auto session = receiver()->WaitForSession();
    if (session.ok()) return session;
    Result<Messages> again = AfterEnd(session.status(), kUnlimited);
    while (again.ok() && lost_) again = AfterLoss(*lost_, kUnlimited);
    if (!again.ok()) return again.status();
  }
}

void ReconnectingReceiver::Interrupt() {
  reconnection_.Interrupt();
  MutexLock lock(mutex_);
  is_interrupted_ = true;
  receiver_->Interrupt();
}

void ReconnectingReceiver::RaisePrefetch(std::uint32_t prefetch_messages) {
  options_.prefetch_messages = std::max(options_.prefetch_messages, prefetch_messages);
  receiver()->RaisePrefetch(prefetch_messages);
}

void ReconnectingReceiver::Settle(v1::Settlement&& settlement, Receiver::SettleCallback callback) {
  if (!reconnection_.is_wanted()) {
    return receiver()->Settle(std::move(settlement), std::move(callback));
  }
  SettleRepeatably(std::make_shared<Unsettled>(
      Unsettled{.settlement = std::move(settlement), .callback = std::move(callback)}));
}

void ReconnectingReceiver::SettleRepeatably(const std::shared_ptr<Unsettled>& unsettled) {
  v1::Settlement settlement = unsettled->settlement;
  receiver()->Settle(std::move(settlement), [this, unsettled](Result<SettleReceipt> receipt) {
    if (receipt.ok() || !Reconnection::IsLost(receipt.status())) {
      return std::move(unsettled->callback)(std::move(receipt));
    }
    PutAside(unsettled, receipt.status());
  });
}

void ReconnectingReceiver::PutAside(std::shared_ptr<Unsettled> unsettled, const Status& reason) {
  unsettled->is_unknown = unsettled->is_unknown || reason.outcome() == Outcome::kUnknown;
  if (options_.keeper != nullptr) options_.keeper->Keep(unsettled->settlement.lock_tokens());
  MutexLock lock(mutex_);
  cut_off_.push_back(std::move(unsettled));
}

std::vector<std::shared_ptr<ReconnectingReceiver::Unsettled>> ReconnectingReceiver::TakeCutOff() {
  MutexLock lock(mutex_);
  return std::exchange(cut_off_, {});
}

// Settles anew what was cut off, by single calls: a token is good on every connection. An error if
// the broker is lost again.
Status ReconnectingReceiver::Repeat() {
  Status lost;
  for (const std::shared_ptr<Unsettled>& unsettled : TakeCutOff()) {
    if (lost.ok()) lost = RepeatOne(*unsettled);
    if (!lost.ok()) PutAside(unsettled, {lost.code(), lost.message(), Outcome::kNotDone});
  }
  return lost;
}

Status ReconnectingReceiver::RepeatOne(Unsettled& unsettled) {
  v1::SettleRequest request;
  request.set_entity_path(entity_path_);
  *request.mutable_settlement() = unsettled.settlement;
  const Result<v1::SettleResponse> settled = client_.Settle(request);
  if (!settled.ok() && Reconnection::IsLost(settled.status())) {
    unsettled.is_unknown = unsettled.is_unknown || settled.status().outcome() == Outcome::kUnknown;
    return settled.status();
  }
  if (options_.keeper != nullptr) options_.keeper->Forget(unsettled.settlement.lock_tokens());
  if (settled.ok()) {
    std::move(unsettled.callback)(ReceiptOfRepeated(*settled, unsettled.is_unknown));
  } else if (settled.status().code() == ErrorCode::kMessageLockLost && unsettled.is_unknown) {
    const std::size_t count = unsettled.settlement.lock_tokens_size();
    std::move(unsettled.callback)(SettleReceipt{.settled_count = count, .presumed_count = count});
  } else {
    std::move(unsettled.callback)(settled.status());
  }
  return Status::Ok();
}

Status ReconnectingReceiver::Flush() {
  Status flushed = receiver()->Flush();
  if (!reconnection_.is_wanted() || !Reconnection::IsLost(flushed)) return flushed;
  while (has_cut_off()) {
    const Result<bool> is_back = reconnection_.TryAgain(flushed, kUnlimited);
    if (!is_back.ok()) return GiveUp(flushed);
    if (*is_back) static_cast<void>(Repeat());  // What failed is put aside again.
  }
  return Status::Ok();
}

bool ReconnectingReceiver::has_cut_off() {
  MutexLock lock(mutex_);
  return !cut_off_.empty();
}

Status ReconnectingReceiver::GiveUp(const Status& reason) {
  for (const std::shared_ptr<Unsettled>& unsettled : TakeCutOff()) {
    const Outcome outcome = unsettled->is_unknown ? Outcome::kUnknown : Outcome::kNotDone;
    std::move(unsettled->callback)(Status(reason.code(), reason.message(), outcome));
  }
  return reason;
}

Result<std::uint32_t> ReconnectingReceiver::Drain() { return receiver()->Drain(); }

void ReconnectingReceiver::Resume() { receiver()->Resume(); }

}  // namespace wharf::client
