#include "tools/crash/rest/rest_words.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <boost/beast/http/verb.hpp>
#include <nlohmann/json.hpp>

namespace wharf::crash {
namespace {

namespace http = boost::beast::http;
using nlohmann::json;

constexpr char kBatchType[] = "application/vnd.microsoft.servicebus.json";
constexpr unsigned kWaitSeconds = 1;
constexpr std::size_t kTokenBytes = 16;

// The broker may be where it does not believe other names.
RestClient::Request RequestFor(http::verb verb, const std::string& target) {
  RestClient::Request request(verb, '/' + target, 11);
  request.set(http::field::host, "localhost");
  return request;
}

json PropertiesOf(const v1::Message& message) { return json{{"MessageId", message.message_id()}}; }

// Of a GUID as it is written, and back.
std::string Reordered(std::string bytes) {
  std::reverse(bytes.begin(), bytes.begin() + 4);
  std::reverse(bytes.begin() + 4, bytes.begin() + 6);
  std::reverse(bytes.begin() + 6, bytes.begin() + 8);
  return bytes;
}

std::string TextOf(const std::string& token) {
  const std::string digits = absl::BytesToHexString(Reordered(token));
  return absl::StrCat(digits.substr(0, 8), "-", digits.substr(8, 4), "-", digits.substr(12, 4), "-",
                      digits.substr(16, 4), "-", digits.substr(20));
}

// Empty: it is none.
std::string TokenFrom(std::string text) {
  std::erase(text, '-');
  const bool is_hex = std::all_of(text.begin(), text.end(),
                                  [](unsigned char c) { return absl::ascii_isxdigit(c); });
  if (text.size() != 2 * kTokenBytes || !is_hex) return {};
  return Reordered(absl::HexStringToBytes(text));
}

// "Thu, 01 Jan 1970 00:00:00 GMT".
Timestamp TimeFrom(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) return {};
  return Timestamp(std::chrono::seconds(timegm(&parts)));
}

Timestamp TimeIn(const json& properties, const char* name) {
  const auto found = properties.find(name);
  if (found == properties.end() || !found->is_string()) return {};
  return TimeFrom(found->get<std::string>());
}

template <typename Value>
Value ValueIn(const json& properties, const char* name, Value otherwise) {
  return properties.value(name, std::move(otherwise));
}

std::string FieldOf(const RestClient::Answer& answer, const char* name) {
  const auto found = answer.find(name);
  return found == answer.end() ? "" : std::string(found->value());
}

std::int64_t NumberOf(const RestClient::Answer& answer, const char* name) {
  std::int64_t number = 0;
  return absl::SimpleAtoi(FieldOf(answer, name), &number) ? number : 0;
}

// A text stands between quotes.
std::string TextOf(const RestClient::Answer& answer, const char* name) {
  const json parsed = json::parse(FieldOf(answer, name), nullptr, false);
  return parsed.is_string() ? parsed.get<std::string>() : "";
}

Result<json> BrokerPropertiesOf(const RestClient::Answer& answer) {
  json properties = json::parse(FieldOf(answer, "BrokerProperties"), nullptr, false);
  if (properties.is_object()) return properties;
  return Status(ErrorCode::kGeneralError, "an answer has no BrokerProperties");
}

// The number in "SubCode=40300. ...".
unsigned SubCodeOf(const RestClient::Answer& answer) {
  constexpr std::string_view kName = "SubCode=";
  const std::size_t at = answer.body().find(kName);
  if (at == std::string::npos) return 0;
  std::uint32_t number = 0;
  const std::string digits = answer.body().substr(at + kName.size(), 5);
  return absl::SimpleAtoi(digits, &number) ? number : 0;
}

ErrorCode CodeOf(unsigned status, unsigned sub_code, Asked asked) {
  switch (status) {
    case 400:
      return ErrorCode::kArgumentError;
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return sub_code == 40301 ? ErrorCode::kInvalidOperation : ErrorCode::kMessageSizeExceeded;
    case 404:
      return asked == Asked::kLock ? ErrorCode::kMessageLockLost : ErrorCode::kMessageNotFound;
    case 410:
      return ErrorCode::kMessagingEntityNotFound;
    case 503:
      return sub_code == 50004 ? ErrorCode::kServiceBusy : ErrorCode::kServiceCommunicationProblem;
    case 504:
      return ErrorCode::kServiceTimeout;
    default:
      return ErrorCode::kGeneralError;
  }
}

}  // namespace

RestClient::Request SendOf(const std::string& path, const v1::Message& message) {
  RestClient::Request request = RequestFor(http::verb::post, path + "/messages");
  request.set("BrokerProperties", PropertiesOf(message).dump());
  request.body() = message.body();
  return request;
}

RestClient::Request SendOf(const std::string& path, const std::vector<v1::Message>& messages) {
  RestClient::Request request = RequestFor(http::verb::post, path + "/messages");
  request.set(http::field::content_type, kBatchType);
  json batch = json::array();
  for (const v1::Message& message : messages) {
    batch.push_back({{"Body", absl::Base64Escape(message.body())},
                     {"IsBodyBase64", true},
                     {"BrokerProperties", PropertiesOf(message)}});
  }
  request.body() = batch.dump();
  return request;
}

RestClient::Request ReceiveOf(const std::string& path, Mode mode) {
  const http::verb verb = mode == Mode::kPeekLock ? http::verb::post : http::verb::delete_;
  return RequestFor(verb, absl::StrCat(path, "/messages/head?timeout=", kWaitSeconds));
}

RestClient::Request UseOf(const std::string& path, const std::string& token, LockVerb verb) {
  const http::verb method = verb == LockVerb::kComplete ? http::verb::delete_
                            : verb == LockVerb::kUnlock ? http::verb::put
                                                        : http::verb::post;
  return RequestFor(method, absl::StrCat(path, "/messages/any/", TextOf(token)));
}

// Behind what says that there is no broker, or no answer of its log, it may be done.
Status StatusOf(const RestClient::Answer& answer, Asked asked) {
  const unsigned status = answer.result_int();
  if (status / 100 == 2) return {};
  const ErrorCode code = CodeOf(status, SubCodeOf(answer), asked);
  const bool may_be_done = status >= 500 && code != ErrorCode::kServiceBusy;
  return {code, answer.body(), may_be_done ? Outcome::kUnknown : Outcome::kNotDone};
}

Result<DeliveryRecord> DecodeDelivery(const RestClient::Answer& answer) {
  const Result<json> properties = BrokerPropertiesOf(answer);
  if (!properties.ok()) return properties.status();
  DeliveryRecord delivery;
  // An id that none of ours has stands for what nobody sent.
  delivery.id =
      ParseMessageId(ValueIn<std::string>(*properties, "MessageId", "")).value_or(MessageId{});
  delivery.body = DigestOf(answer.body());
  delivery.rounding = kHttpRounding;
  delivery.sequence_number = ValueIn<std::int64_t>(*properties, "SequenceNumber", 0);
  delivery.first_number = ValueIn<std::int64_t>(*properties, "EnqueuedSequenceNumber", 0);
  // The delivery under way is counted.
  delivery.delivery_count = ValueIn<std::uint32_t>(*properties, "DeliveryCount", 1) - 1;
  delivery.enqueued_at = TimeIn(*properties, "EnqueuedTimeUtc");
  delivery.locked_until = TimeIn(*properties, "LockedUntilUtc");
  if (properties->contains("ExpiresAtUtc")) {
    delivery.expires_at = TimeIn(*properties, "ExpiresAtUtc");
  }
  delivery.mark = NumberOf(answer, "mark");
  delivery.redrives = NumberOf(answer, "RedriveCount");
  delivery.reason = TextOf(answer, "DeadLetterReason");
  delivery.token = TokenFrom(ValueIn<std::string>(*properties, "LockToken", ""));
  return delivery;
}

Result<Timestamp> LockedUntilOf(const RestClient::Answer& answer) {
  const Result<json> properties = BrokerPropertiesOf(answer);
  if (!properties.ok()) return properties.status();
  return TimeIn(*properties, "LockedUntilUtc");
}

}  // namespace wharf::crash
