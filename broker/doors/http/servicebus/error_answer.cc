#include "broker/doors/http/servicebus/error_answer.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "broker/core/messages/text.h"
#include "broker/doors/http/servicebus/utf8.h"

namespace wharf {
namespace {

constexpr std::size_t kSentenceBytesMax = 1024;
constexpr std::size_t kEntityBytesMax = 400;
// For who finds the broker busy, or finds none: it is back sooner than Azure is (QUO-11).
constexpr unsigned kRetrySeconds = 1;

HttpError OfMessages(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMessagingEntityNotFound:
    case ErrorCode::kSessionLockLost:
    case ErrorCode::kSessionCannotBeLocked:
      return {410, 41000};
    case ErrorCode::kInvalidOperation:
      return {400, 40000};
    default:
      return HttpErrorOf(code, ErrorPlane::kManagement);
  }
}

HttpError OfManagement(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return {200, 0};
    case ErrorCode::kMessagingEntityNotFound:
    case ErrorCode::kMessageNotFound:
    case ErrorCode::kMessageLockLost:
      return {404, 40400};
    case ErrorCode::kMessagingEntityAlreadyExists:
      return {409, 40900};
    case ErrorCode::kMessagingEntityDisabled:
    case ErrorCode::kInvalidOperation:
      return {403, 40301};
    case ErrorCode::kSessionLockLost:
    case ErrorCode::kSessionCannotBeLocked:
      return {410, 41000};
    case ErrorCode::kMessageSizeExceeded:
    case ErrorCode::kQuotaExceeded:
    case ErrorCode::kTransactionSizeExceeded:
      return {403, 40300};
    case ErrorCode::kServiceBusy:
      return {503, 50004};
    case ErrorCode::kServiceCommunicationProblem:
    case ErrorCode::kPartitionNotOwned:
      return {503, 50000};
    case ErrorCode::kServiceTimeout:
      return {504, 50400};
    case ErrorCode::kArgumentError:
    case ErrorCode::kArgumentOutOfRange:
    case ErrorCode::kFilterException:
    case ErrorCode::kRuleActionException:
    case ErrorCode::kTransactionUnknown:
      return {400, 40000};
    case ErrorCode::kTransactionAborted:
      return {409, 40901};
    case ErrorCode::kUnauthorized:
    case ErrorCode::kForbidden:
      return {401, 40100};
    case ErrorCode::kNotImplemented:
      return {501, 50000};
    case ErrorCode::kNoMatchingSubscription:
    case ErrorCode::kGeneralError:
      return {500, 50000};
  }
  return {500, 50000};
}

HttpResponse ErrorOf(const HttpError& error, std::string_view sentence,
                     const AboutHttpError& about) {
  const std::string shown = XmlText(Shortened(sentence, kSentenceBytesMax));
  const bool has_end = shown.ends_with('.');
  HttpResponse response{
      .status = error.status,
      .type = "application/xml; charset=utf-8",
      .body = fmt::format("<Error><Code>{}</Code><Detail>SubCode={}. {}{} TrackingId:{}, "
                          "SystemTracker:wharf:{}, Timestamp:{}</Detail></Error>",
                          error.status, error.sub_code, shown, has_end ? "" : ".",
                          ToString(about.tracking_id),
                          XmlText(Shortened(about.entity, kEntityBytesMax)), ToString(about.at))};
  if (error.status == 401) {
    response.fields.emplace_back("WWW-Authenticate", "SharedAccessSignature");
  }
  if (error.status == 503) {
    response.fields.emplace_back("Retry-After", std::to_string(kRetrySeconds));
  }
  return response;
}

// Bytes of the first character, if XML may have it; 0: there is none.
std::size_t XmlLengthOf(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const bool is_control = first < 0x20 || first == 0x7F;
  const bool is_none = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
  return is_control || is_none ? 0 : Utf8LengthOf(text);
}

}  // namespace

HttpError HttpErrorOf(ErrorCode code, ErrorPlane plane) {
  return plane == ErrorPlane::kMessages ? OfMessages(code) : OfManagement(code);
}

HttpResponse ErrorAnswer(const Status& status, const AboutHttpError& about) {
  return ErrorOf(HttpErrorOf(status.code(), about.plane), status.message(), about);
}

// What is too large has one status, whoever found it.
HttpResponse ErrorAnswer(unsigned status, std::string_view why, const AboutHttpError& about) {
  const unsigned shown = status == 413 ? 403 : status;
  return ErrorOf({shown, shown * 100}, why, about);
}

std::string XmlText(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = XmlLengthOf(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      safe += '?';
    } else if (character == "<") {
      safe += "&lt;";
    } else if (character == ">") {
      safe += "&gt;";
    } else if (character == "&") {
      safe += "&amp;";
    } else {
      safe += character;
    }
    text.remove_prefix(character.size());
  }
  return safe;
}

}  // namespace wharf
