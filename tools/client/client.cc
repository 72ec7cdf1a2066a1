#include "tools/client/client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "tools/client/authorization.h"
#include "tools/client/unary.h"

namespace wharf::client {
namespace {

// Above any answer that the API allows, with room for its properties.
constexpr int kReceiveBytesMax = 16 << 20;
// A broker that does not say a word for so long, though asked, is gone: stopped, or cut off.
constexpr int kPingAfterMs = 10'000;
constexpr int kPingAnswerMs = 10'000;
// A broker that was started a moment ago listens soon: so long a refusal is not taken for an
// answer.
constexpr Duration kStartPatience = std::chrono::seconds(3);
// How soon and how seldom a connection is tried again: a restart takes a second.
constexpr int kConnectAgainMinMs = 100;
constexpr int kConnectAgainMaxMs = 2'000;

void NoticeSilence(grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingAfterMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnswerMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // As many as it takes.
}

std::shared_ptr<grpc::Channel> MakeChannel(const Target& target, bool is_own) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kReceiveBytesMax);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kConnectAgainMinMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kConnectAgainMaxMs);
  NoticeSilence(arguments);
  if (!target.server_name.empty()) arguments.SetSslTargetNameOverride(target.server_name);
  if (is_own) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      target.address, target.credentials ? target.credentials : grpc::InsecureChannelCredentials(),
      arguments, AuthorizationOf(target.tokens));
}

using Stub = v1::Messaging::Stub;

}  // namespace

Client::Client(Target target, ClientOptions options)
    : target_(std::move(target)),
      options_(options),
      channel_(MakeChannel(target_, options_.has_own_connection)),
      stub_(v1::Messaging::NewStub(channel_)),
      management_(channel_, options_.timeout),
      topics_(channel_, options_.timeout),
      clock_(channel_, options_.timeout),
      sessions_(channel_, options_.timeout),
      transactions_(channel_, options_.timeout) {}

Status Client::Connect(Duration patience) {
  const auto begin = std::chrono::system_clock::now();
  bool is_refused = false;
  grpc_connectivity_state state = channel_->GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY) {
    is_refused = is_refused || state == GRPC_CHANNEL_TRANSIENT_FAILURE;
    const Duration wait = is_refused ? std::min(patience, kStartPatience) : patience;
    if (!channel_->WaitForStateChange(state, begin + wait)) break;
    state = channel_->GetState(/*try_to_connect=*/true);
  }
  if (state == GRPC_CHANNEL_READY) return Status::Ok();
  if (!is_refused) {
    return {ErrorCode::kServiceCommunicationProblem,
            fmt::format("whoever listens at {} does not answer in time", target_.address)};
  }
  return {ErrorCode::kServiceCommunicationProblem,
          fmt::format("no broker can be reached at {}{}", target_.address,
                      target_.credentials
                          ? " with TLS; is wharfd running there with TLS, is its certificate good "
                            "and for this host, and does it want another from here?"
                          : "; is wharfd running there?")};
}

std::unique_ptr<Sender> Client::CreateSender(const std::string& entity_path, SenderOptions options,
                                             Sender::ReturnedCallback on_returned) {
  return std::make_unique<Sender>(stub_, entity_path, options, std::move(on_returned));
}

std::unique_ptr<Receiver> Client::CreateReceiver(const std::string& entity_path,
                                                 Receiver::Options options,
                                                 Receiver::MessagesCallback on_messages,
                                                 Receiver::SessionCallbacks on_sessions) {
  return std::make_unique<Receiver>(stub_, entity_path, std::move(options), std::move(on_messages),
                                    std::move(on_sessions));
}

Result<v1::SendResponse> Client::Send(const v1::SendRequest& request) {
  return CallUnary(*stub_, &Stub::Send, request, options_.timeout);
}

Result<v1::ReceiveResponse> Client::Receive(const v1::ReceiveRequest& request) {
  const Duration wait = std::chrono::seconds(request.max_wait().seconds() + 1);
  return CallUnary(*stub_, &Stub::Receive, request, options_.timeout + wait);
}

Result<v1::SettleResponse> Client::Settle(const v1::SettleRequest& request) {
  return CallUnary(*stub_, &Stub::Settle, request, options_.timeout);
}

Result<v1::RenewLockResponse> Client::RenewLock(const v1::RenewLockRequest& request,
                                                std::optional<Duration> timeout) {
  return CallUnary(*stub_, &Stub::RenewLock, request, timeout.value_or(options_.timeout));
}

Result<v1::PeekResponse> Client::Peek(const v1::PeekRequest& request) {
  return CallUnary(*stub_, &Stub::Peek, request, options_.timeout);
}

Result<v1::ReceiveResponse> Client::ReceiveDeferred(const v1::ReceiveDeferredRequest& request) {
  return CallUnary(*stub_, &Stub::ReceiveDeferred, request, options_.timeout);
}

Result<v1::UndeferMessagesResponse> Client::UndeferMessages(
    const v1::UndeferMessagesRequest& request) {
  return CallUnary(*stub_, &Stub::UndeferMessages, request, options_.timeout);
}

Result<v1::ReceiveResponse> Client::ReceiveBySequenceNumber(
    const v1::ReceiveBySequenceNumberRequest& request) {
  return CallUnary(*stub_, &Stub::ReceiveBySequenceNumber, request, options_.timeout);
}

Result<v1::SettleBySequenceNumberResponse> Client::SettleBySequenceNumber(
    const v1::SettleBySequenceNumberRequest& request) {
  return CallUnary(*stub_, &Stub::SettleBySequenceNumber, request, options_.timeout);
}

Result<v1::ExportBySequenceNumberResponse> Client::ExportBySequenceNumber(
    const v1::ExportBySequenceNumberRequest& request) {
  return CallUnary(*stub_, &Stub::ExportBySequenceNumber, request, options_.timeout);
}

Result<v1::DeleteMessagesResponse> Client::DeleteMessages(
    const v1::DeleteMessagesRequest& request) {
  return CallUnary(*stub_, &Stub::DeleteMessages, request, options_.timeout);
}

Result<v1::CancelScheduledMessagesResponse> Client::CancelScheduledMessages(
    const v1::CancelScheduledMessagesRequest& request) {
  return CallUnary(*stub_, &Stub::CancelScheduledMessages, request, options_.timeout);
}

Result<v1::RescheduleMessagesResponse> Client::RescheduleMessages(
    const v1::RescheduleMessagesRequest& request) {
  return CallUnary(*stub_, &Stub::RescheduleMessages, request, options_.timeout);
}

Result<v1::ActivateScheduledMessagesResponse> Client::ActivateScheduledMessages(
    const v1::ActivateScheduledMessagesRequest& request) {
  return CallUnary(*stub_, &Stub::ActivateScheduledMessages, request, options_.timeout);
}

Result<v1::ListScheduledMessagesResponse> Client::ListScheduledMessages(
    const v1::ListScheduledMessagesRequest& request) {
  return CallUnary(*stub_, &Stub::ListScheduledMessages, request, options_.timeout);
}

}  // namespace wharf::client
