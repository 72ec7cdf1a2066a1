#include "tools/client/reconnecting_sender.h"

#include <utility>

namespace wharf::client {

ReconnectingSender::ReconnectingSender(Client& client, std::string entity_path,
                                       SenderOptions options, ReconnectOptions reconnect)
    : client_(client),
      entity_path_(std::move(entity_path)),
      options_(options),
      reconnection_(client, std::move(reconnect)),
      sender_(NewSender()) {}

std::shared_ptr<Sender> ReconnectingSender::NewSender() {
  opened_at_ = std::chrono::steady_clock::now();
  return client_.CreateSender(
      entity_path_, options_,
      [this](v1::Message&& message, Callback callback, const Status& reason) {
        Return(std::move(message), std::move(callback), reason);
      });
}

std::shared_ptr<Sender> ReconnectingSender::sender() {
  MutexLock lock(mutex_);
  return sender_;
}

void ReconnectingSender::Send(v1::Message&& message, Callback callback) {
  const std::shared_ptr<Sender> sender = this->sender();
  if (sender == nullptr) return std::move(callback)(end_);
  sender->Send(std::move(message), std::move(callback));
  if (has_returned_) SendReturned();
}

Status ReconnectingSender::Flush() {
  while (const std::shared_ptr<Sender> sender = this->sender()) {
    Status flushed = sender->Flush();
    if (!has_returned_) return flushed;
    SendReturned();
  }
  return end_;
}

void ReconnectingSender::Interrupt() {
  reconnection_.Interrupt();
  MutexLock lock(mutex_);
  is_interrupted_ = true;
  if (sender_ != nullptr) sender_->Interrupt();
}

void ReconnectingSender::Return(v1::Message&& message, Callback callback, const Status& reason) {
  MutexLock lock(mutex_);
  returned_.push_back({std::move(message), std::move(callback), reason});
  has_returned_ = true;
}

std::deque<ReconnectingSender::Returned> ReconnectingSender::TakeReturned() {
  MutexLock lock(mutex_);
  has_returned_ = false;
  return std::exchange(returned_, {});
}

// What was once unknown is known again only by a receipt.
Sender::Callback ReconnectingSender::CallbackOf(Returned& one) {
  if (one.reason.outcome() != Outcome::kUnknown) return std::move(one.callback);
  return [callback = std::move(one.callback)](Result<SendReceipt> receipt) mutable {
    if (receipt.ok()) return std::move(callback)(std::move(receipt));
    const Status status = receipt.status();
    std::move(callback)(Status(status.code(), status.message(), Outcome::kUnknown));
  };
}

// Afterwards each is under way, or was told why not. It may come back another time.
void ReconnectingSender::SendReturned() {
  const std::shared_ptr<Sender> broken = sender();
  static_cast<void>(broken->Flush());  // How it ended is in the results of its messages.
  std::deque<Returned> returned = TakeReturned();
  if (!Reconnect(returned.front().reason)) {
    for (Returned& one : returned) std::move(one.callback)(one.reason);
    return;
  }
  const std::shared_ptr<Sender> sender = this->sender();
  for (Returned& one : returned) sender->Send(std::move(one.message), CallbackOf(one));
}

bool ReconnectingSender::Reconnect(const Status& reason) {
  if (sender()->receipt_count() > 0) reconnection_.Succeeded();
  if (Reconnection::IsLapsed(reason, opened_at_)) {
    Replace(NewSender());
    return true;
  }
  Result<bool> is_back = false;
  while (is_back.ok() && !*is_back) is_back = reconnection_.TryAgain(reason, kUnlimited);
  std::shared_ptr<Sender> next = is_back.ok() ? NewSender() : nullptr;
  end_ = is_back.status();
  Replace(std::move(next));
  return is_back.ok();
}

// The one before ends when nobody holds it any more, and not under the lock.
void ReconnectingSender::Replace(std::shared_ptr<Sender> next) {
  MutexLock lock(mutex_);
  if (next != nullptr && is_interrupted_) next->Interrupt();
  sender_.swap(next);
}

}  // namespace wharf::client
