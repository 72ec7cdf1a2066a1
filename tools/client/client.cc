#include "tools/client/client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {
namespace {

using Stub = v1::Messaging::Stub;

// Without one the broker cannot tell a message from its repetition; what is added to a transaction
// counts each time.
bool HaveIds(const v1::SendRequest& request) {
  return request.transaction_id().empty() &&
         std::all_of(request.messages().begin(), request.messages().end(),
                     [](const v1::Message& message) { return !message.message_id().empty(); });
}

}  // namespace

Client::Client(Target target, ClientOptions options)
    : options_(options),
      endpoints_(std::make_shared<Endpoints>(std::move(target), options_.has_own_connection,
                                             options_.leader_patience)),
      management_(endpoints_, options_.timeout),
      topics_(endpoints_, options_.timeout),
      clock_(endpoints_, options_.timeout),
      sessions_(endpoints_, options_.timeout),
      transactions_(endpoints_, options_.timeout),
      cluster_(endpoints_, options_.timeout),
      backups_(endpoints_, options_.timeout) {}

Status Client::Connect(Duration patience) { return endpoints_->Connect(patience); }

Status Client::ConnectToAny(Duration patience) { return endpoints_->ConnectToAny(patience); }

std::unique_ptr<Sender> Client::CreateSender(const std::string& entity_path, SenderOptions options,
                                             Sender::ReturnedCallback on_returned) {
  return std::make_unique<Sender>(endpoints_, entity_path, options, std::move(on_returned));
}

std::unique_ptr<Receiver> Client::CreateReceiver(const std::string& entity_path,
                                                 Receiver::Options options,
                                                 Receiver::MessagesCallback on_messages,
                                                 Receiver::SessionCallbacks on_sessions) {
  return std::make_unique<Receiver>(endpoints_, entity_path, std::move(options),
                                    std::move(on_messages), std::move(on_sessions));
}

Result<v1::SendResponse> Client::Send(const v1::SendRequest& request, Repeat repeat) {
  return CallUnary(*endpoints_, &Stub::Send, request, options_.timeout,
                   HaveIds(request) ? repeat : Repeat::kIfNotDone);
}

Result<v1::ReceiveResponse> Client::Receive(const v1::ReceiveRequest& request) {
  const Duration wait = std::chrono::seconds(request.max_wait().seconds() + 1);
  return CallUnary(*endpoints_, &Stub::Receive, request, options_.timeout + wait);
}

Result<v1::SettleResponse> Client::Settle(const v1::SettleRequest& request) {
  return CallUnary(*endpoints_, &Stub::Settle, request, options_.timeout);
}

Result<v1::RenewLockResponse> Client::RenewLock(const v1::RenewLockRequest& request,
                                                std::optional<Duration> timeout) {
  return CallUnary(*endpoints_, &Stub::RenewLock, request, timeout.value_or(options_.timeout));
}

Result<v1::PeekResponse> Client::Peek(const v1::PeekRequest& request) {
  return CallToLook(*endpoints_, &Stub::Peek, request, options_.timeout);
}

Result<v1::PeekBodyResponse> Client::PeekBody(const v1::PeekBodyRequest& request) {
  return CallToLook(*endpoints_, &Stub::PeekBody, request, options_.timeout);
}

Result<v1::TraceMessageResponse> Client::TraceMessage(const v1::TraceMessageRequest& request) {
  return CallToLook(*endpoints_, &Stub::TraceMessage, request, options_.timeout);
}

Result<v1::ReceiveResponse> Client::ReceiveDeferred(const v1::ReceiveDeferredRequest& request) {
  return CallUnary(*endpoints_, &Stub::ReceiveDeferred, request, options_.timeout);
}

Result<v1::UndeferMessagesResponse> Client::UndeferMessages(
    const v1::UndeferMessagesRequest& request) {
  return CallUnary(*endpoints_, &Stub::UndeferMessages, request, options_.timeout);
}

Result<v1::ReceiveResponse> Client::ReceiveBySequenceNumber(
    const v1::ReceiveBySequenceNumberRequest& request) {
  return CallUnary(*endpoints_, &Stub::ReceiveBySequenceNumber, request, options_.timeout);
}

Result<v1::SettleBySequenceNumberResponse> Client::SettleBySequenceNumber(
    const v1::SettleBySequenceNumberRequest& request) {
  return CallUnary(*endpoints_, &Stub::SettleBySequenceNumber, request, options_.timeout);
}

Result<v1::ExportBySequenceNumberResponse> Client::ExportBySequenceNumber(
    const v1::ExportBySequenceNumberRequest& request) {
  return CallToLook(*endpoints_, &Stub::ExportBySequenceNumber, request, options_.timeout);
}

Result<v1::DeleteMessagesResponse> Client::DeleteMessages(
    const v1::DeleteMessagesRequest& request) {
  return CallUnary(*endpoints_, &Stub::DeleteMessages, request, options_.timeout);
}

Result<v1::CancelScheduledMessagesResponse> Client::CancelScheduledMessages(
    const v1::CancelScheduledMessagesRequest& request) {
  return CallUnary(*endpoints_, &Stub::CancelScheduledMessages, request, options_.timeout);
}

Result<v1::RescheduleMessagesResponse> Client::RescheduleMessages(
    const v1::RescheduleMessagesRequest& request) {
  return CallUnary(*endpoints_, &Stub::RescheduleMessages, request, options_.timeout);
}

Result<v1::ActivateScheduledMessagesResponse> Client::ActivateScheduledMessages(
    const v1::ActivateScheduledMessagesRequest& request) {
  return CallUnary(*endpoints_, &Stub::ActivateScheduledMessages, request, options_.timeout);
}

Result<v1::ListScheduledMessagesResponse> Client::ListScheduledMessages(
    const v1::ListScheduledMessagesRequest& request) {
  return CallToLook(*endpoints_, &Stub::ListScheduledMessages, request, options_.timeout);
}

}  // namespace wharf::client
