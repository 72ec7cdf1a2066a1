#include "broker/doors/http/servicebus/error_answer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "broker/core/messages/text.h"
#include "broker/doors/http/rest/http_time.h"
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

// What the broker calls by the names of gRPC, as clients of HTTP write it.
struct FieldName {
  std::string_view ours;
  std::string_view theirs;
};
// None is the beginning of one before it.
constexpr std::array kFieldNames = {
    FieldName{"via_partition_key", "ViaPartitionKey"},
    FieldName{"partition_key", "PartitionKey"},
    FieldName{"reply_to_session_id", "ReplyToSessionId"},
    FieldName{"session_id", "SessionId"},
    FieldName{"message_id", "MessageId"},
    FieldName{"default_message_time_to_live", "DefaultMessageTimeToLive"},
    FieldName{"time_to_live", "TimeToLive"},
    FieldName{"lock_duration", "LockDuration"},
    FieldName{"max_size_in_megabytes", "MaxSizeInMegabytes"},
    FieldName{"max_message_size_in_kilobytes", "MaxMessageSizeInKilobytes"},
    FieldName{"duplicate_detection_history_time_window", "DuplicateDetectionHistoryTimeWindow"},
    FieldName{"max_delivery_count", "MaxDeliveryCount"},
    FieldName{"auto_delete_on_idle", "AutoDeleteOnIdle"},
    FieldName{"user_metadata", "UserMetadata"},
    FieldName{"forward_to", "ForwardTo"},
    FieldName{"forward_dead_lettered_messages_to", "ForwardDeadLetteredMessagesTo"}};

bool IsOfName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'' || c == '"';
}

// What stands in quotes was written by the client.
std::string InWordsOfHttp(std::string text) {
  for (const FieldName& name : kFieldNames) {
    for (std::size_t at = text.find(name.ours); at != std::string::npos;
         at = text.find(name.ours, at + 1)) {
      const std::size_t end = at + name.ours.size();
      const bool is_word =
          (at == 0 || !IsOfName(text[at - 1])) && (end == text.size() || !IsOfName(text[end]));
      if (is_word) text.replace(at, name.ours.size(), name.theirs);
    }
  }
  return text;
}

HttpResponse ErrorOf(const HttpError& error, std::string_view sentence,
                     const AboutHttpError& about) {
  const std::string shown = XmlText(InWordsOfHttp(Shortened(sentence, kSentenceBytesMax)));
  const bool has_end = shown.ends_with('.');
  HttpResponse response{
      .status = error.status,
      .type = "application/xml; charset=utf-8",
      .body = fmt::format("<Error><Code>{}</Code><Detail>SubCode={}. {}{} TrackingId:{}, "
                          "SystemTracker:wharf:{}, Timestamp:{}</Detail></Error>",
                          error.status, error.sub_code, shown, has_end ? "" : ".",
                          ToString(about.tracking_id),
                          XmlText(Shortened(about.entity, kEntityBytesMax)), ToString(about.at))};
  response.fields.emplace_back("Date", rest::HttpTime(about.at));
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

// Service Bus has no sub-codes for most of these, and 40500 means something else there: what has
// none of its own is a bad request, and what changed meanwhile a conflict. What is too large has
// one status, whoever found it.
HttpError HttpErrorOf(unsigned status) {
  switch (status) {
    case 403:
    case 413:
      return {403, 40300};
    case 404:
      return {404, 40400};
    case 412:
      return {412, 40900};
    case 503:
      return {503, 50004};
    default:
      return {status, status < 500 ? 40000U : 50000U};
  }
}

HttpResponse ErrorAnswer(unsigned status, std::string_view why, const AboutHttpError& about) {
  return ErrorOf(HttpErrorOf(status), why, about);
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
