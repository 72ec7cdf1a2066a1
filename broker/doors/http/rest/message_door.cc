#include "broker/doors/http/rest/message_door.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "broker/core/messages/text.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/http/rest/body_upload.h"
#include "broker/doors/http/rest/broker_properties.h"
#include "broker/doors/http/rest/head_receiver.h"
#include "broker/doors/http/rest/incoming.h"
#include "broker/doors/http/rest/omitted_names.h"
#include "broker/doors/http/rest/outgoing.h"
#include "broker/doors/http/servicebus/fail.h"

namespace wharf::rest {
namespace {

constexpr std::int64_t kTimeoutSeconds = 60;
// Nobody waits longer, and for a message the broker lets nobody: who wants more asks again.
constexpr std::int64_t kTimeoutSecondsMax = 3600;
constexpr std::chrono::seconds kReceiveMax{300};
constexpr std::size_t kShownTokenBytesMax = 100;

void FailMessage(ServiceBusCall& call, const Status& status) {
  Fail(call, status, ErrorPlane::kMessages);
}

// All of them or none: the first that was refused says why.
Status RefusalOf(const Result<SendReceipt>& receipt) {
  if (!receipt.ok()) return receipt.status();
  for (const Result<SendOutcome>& outcome : *receipt) {
    if (!outcome.ok()) return outcome.status();
  }
  return {};
}

void AnswerSent(ServiceBusCall& call, const Status& refused, OmittedNames omitted) {
  if (!refused.ok()) return FailMessage(call, refused);
  HttpResponse response = EmptyAnswer(201);
  std::move(omitted).AddTo(response.fields);
  call.Answer(std::move(response));
}

void Send(const ServiceBusCallPtr& call, const DataRoute& route) {
  Result<Incoming> incoming = IncomingOf(call->request());
  if (!incoming.ok()) return FailMessage(*call, incoming.status());
  std::vector<Message>& messages = incoming->messages;
  const auto answer = [call, omitted = std::move(incoming->omitted)](const Status& refused) {
    AnswerSent(*call, refused, omitted);
  };
  const bool is_alone = messages.size() == 1;
  const bool is_large = is_alone && messages.front().body.size() > kHeldBodyBytesMax;
  if (is_large) {
    const std::int64_t drawn_bytes =
        SizeOf(messages.front()) - static_cast<std::int64_t>(incoming->encoded_bytes);
    return BodyUpload::Begin(call, {route.entity}, std::move(messages.front()), drawn_bytes,
                             answer);
  }
  call->requests().Ask(
      call->request().caller,
      SendRequest{.entity = {route.entity},
                  .messages = std::move(messages),
                  // What is sent at one go has a bound that one message alone has not.
                  .atomic = !is_alone,
                  .encoded_bytes = static_cast<std::int64_t>(incoming->encoded_bytes)},
      [answer](const Result<SendReceipt>& receipt) { answer(RefusalOf(receipt)); });
}

// Of what a lock was asked for whose token is none the broker can only say that it has no such one.
Status WhyNoLock(const DataRoute& route, const Status& status) {
  if (route.no_token.empty() || status.code() != ErrorCode::kMessageLockLost) return status;
  return {status.code(),
          fmt::format("there is no such lock: its URL, as Location said it, ends in /messages/, an "
                      "id, and the token of the lock, and '{}' is none",
                      absl::CHexEscape(Shortened(route.no_token, kShownTokenBytesMax)))};
}

void Settle(const ServiceBusCallPtr& call, const DataRoute& route, SettleVerb verb) {
  call->requests().Ask(call->request().caller,
                       SettleRequest{{route.entity}, {route.token}, {.verb = verb}},
                       [call, route](const Result<SettleReceipt>& receipt) {
                         const Status refused = receipt.ok() ? receipt->front() : receipt.status();
                         if (!refused.ok()) return FailMessage(*call, WhyNoLock(route, refused));
                         call->Answer(EmptyAnswer(200));
                       });
}

void Renew(const ServiceBusCallPtr& call, const DataRoute& route) {
  call->requests().Ask(call->request().caller, RenewLockRequest{{route.entity}, {route.token}},
                       [call, route](const Result<RenewReceipt>& receipt) {
                         const Result<Timestamp> until =
                             receipt.ok() ? receipt->front() : Result<Timestamp>(receipt.status());
                         if (!until.ok())
                           return FailMessage(*call, WhyNoLock(route, until.status()));
                         HttpResponse response = EmptyAnswer(200);
                         response.fields.emplace_back("BrokerProperties",
                                                      BrokerPropertiesOf(route.token, *until));
                         call->Answer(std::move(response));
                       });
}

}  // namespace

Result<Duration> TimeoutOf(const Target& target) {
  const std::string* const said = target.Find("timeout");
  if (said == nullptr || said->empty()) return Duration(std::chrono::seconds(kTimeoutSeconds));
  std::int64_t seconds = 0;
  const char* const end = said->data() + said->size();
  const auto [rest, error] = std::from_chars(said->data(), end, seconds);
  if (error == std::errc::result_out_of_range && said->front() != '-') {
    seconds = kTimeoutSecondsMax;
  } else if (error != std::errc() || rest != end || seconds < 0) {
    return BadValue("timeout", "must be a whole number of seconds");
  }
  return Duration(std::chrono::seconds(std::min(seconds, kTimeoutSecondsMax)));
}

void MessageDoor::Handle(ServiceBusCallPtr call) {
  ServiceBusRequest& request = call->request();
  const auto route = DataRouteOf(request.method, request.target.path);
  if (!route) {
    return FailMessage(*call, {ErrorCode::kNotImplemented, "this asks nothing of messages"});
  }
  const Result<Duration> timeout = TimeoutOf(request.target);
  if (!timeout.ok()) return FailMessage(*call, timeout.status());
  const bool waits =
      route->verb == DataVerb::kPeekLock || route->verb == DataVerb::kReceiveAndDelete;
  if (!waits) request.caller.patience = *timeout;
  switch (route->verb) {
    case DataVerb::kSend:
      return Send(call, *route);
    case DataVerb::kPeekLock:
    case DataVerb::kReceiveAndDelete:
      return Receive(call, *route, *timeout);
    case DataVerb::kComplete:
      return Settle(call, *route, SettleVerb::kComplete);
    case DataVerb::kUnlock:
      return Settle(call, *route, SettleVerb::kAbandon);
    case DataVerb::kRenew:
      return Renew(call, *route);
  }
}

void MessageDoor::Receive(const ServiceBusCallPtr& call, const DataRoute& route,
                          Duration wait) const {
  const bool locks = route.verb == DataVerb::kPeekLock;
  HeadReceiver::Begin(call,
                      {.path = route.entity,
                       .wait = std::min<Duration>(wait, kReceiveMax),
                       .mode = locks ? ReceiveMode::kPeekLock : ReceiveMode::kReceiveAndDelete,
                       .has_room = has_room_});
}

}  // namespace wharf::rest
