#include "broker/doors/amqp/connection/door_errors.h"

#include <fmt/format.h>

#include "broker/core/messages/text.h"

namespace wharf::amqp {
namespace {

// A frame of 512 bytes must hold it: what clients wrote themselves stands in sentences.
constexpr std::size_t kSentenceBytesMax = 200;
constexpr std::size_t kEntityBytesMax = 60;

struct Row {
  std::string_view condition;
  int number;
};

Row RowOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return {"", 200};
    case ErrorCode::kMessagingEntityNotFound:
      return {amqp_error::kNotFound, 404};
    case ErrorCode::kMessagingEntityAlreadyExists:
      return {"com.microsoft:entity-already-exists", 409};
    case ErrorCode::kMessagingEntityDisabled:
      return {"com.microsoft:entity-disabled", 400};
    case ErrorCode::kMessageLockLost:
      return {"com.microsoft:message-lock-lost", 410};
    case ErrorCode::kSessionLockLost:
      return {"com.microsoft:session-lock-lost", 410};
    case ErrorCode::kSessionCannotBeLocked:
      return {"com.microsoft:session-cannot-be-locked", 410};
    case ErrorCode::kMessageNotFound:
      return {"com.microsoft:message-not-found", 404};
    case ErrorCode::kMessageSizeExceeded:
      return {link_error::kMessageSizeExceeded, 403};
    case ErrorCode::kQuotaExceeded:
      return {amqp_error::kResourceLimitExceeded, 403};
    case ErrorCode::kServiceBusy:
      return {"com.microsoft:server-busy", 503};
    case ErrorCode::kServiceTimeout:
      return {"com.microsoft:timeout", 408};
    case ErrorCode::kServiceCommunicationProblem:
      return {connection_error::kConnectionForced, 503};
    case ErrorCode::kPartitionNotOwned:
      return {"com.microsoft:partition-not-owned", 410};
    case ErrorCode::kInvalidOperation:
      return {amqp_error::kNotAllowed, 400};
    case ErrorCode::kArgumentError:
    case ErrorCode::kFilterException:
    case ErrorCode::kRuleActionException:
      return {"com.microsoft:argument-error", 400};
    case ErrorCode::kArgumentOutOfRange:
      return {"com.microsoft:argument-out-of-range", 400};
    case ErrorCode::kNoMatchingSubscription:
      return {"com.microsoft:no-matching-subscription", 500};
    case ErrorCode::kTransactionSizeExceeded:
      return {transaction_error::kTransactionRollback, 403};
    case ErrorCode::kTransactionUnknown:
      return {transaction_error::kUnknownId, 400};
    case ErrorCode::kTransactionAborted:
      return {transaction_error::kTransactionTimeout, 408};
    case ErrorCode::kUnauthorized:
    case ErrorCode::kForbidden:
      return {amqp_error::kUnauthorizedAccess, 401};
    case ErrorCode::kNotImplemented:
      return {amqp_error::kNotImplemented, 501};
    case ErrorCode::kGeneralError:
      return {amqp_error::kInternalError, 500};
  }
  return {amqp_error::kInternalError, 500};
}

// Clients know by these words that it is final.
std::string NotFound(std::string_view entity) {
  return fmt::format(
      "The messaging entity '{}' could not be found. To know more visit "
      "https://aka.ms/sbResourceMgrExceptions",
      entity);
}

}  // namespace

std::string_view ConditionOf(ErrorCode code) { return RowOf(code).condition; }

int StatusNumberOf(ErrorCode code) { return RowOf(code).number; }

std::string DescriptionOf(const Status& status, const ErrorPlace& place) {
  const std::string entity = Shortened(place.entity, kEntityBytesMax);
  const bool is_missing = status.code() == ErrorCode::kMessagingEntityNotFound;
  const std::string sentence = is_missing ? NotFound(entity) : status.message();
  return fmt::format("{}. TrackingId:{}, SystemTracker:wharf:{}, Timestamp:{}",
                     Shortened(sentence, kSentenceBytesMax), wharf::ToString(place.tracking_id),
                     entity, wharf::ToString(place.at));
}

Error ErrorOf(const Status& status, const ErrorPlace& place) {
  Error error;
  error.condition.text = ConditionOf(status.code());
  error.description = DescriptionOf(status, place);
  return error;
}

}  // namespace wharf::amqp
