#include "storage/base/status.h"

#include <fmt/core.h>

namespace wharf {

std::string_view ReasonOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return "Ok";
    case ErrorCode::kMessagingEntityNotFound:
      return "MessagingEntityNotFound";
    case ErrorCode::kMessagingEntityAlreadyExists:
      return "MessagingEntityAlreadyExists";
    case ErrorCode::kMessagingEntityDisabled:
      return "MessagingEntityDisabled";
    case ErrorCode::kMessageLockLost:
      return "MessageLockLost";
    case ErrorCode::kSessionLockLost:
      return "SessionLockLost";
    case ErrorCode::kSessionCannotBeLocked:
      return "SessionCannotBeLocked";
    case ErrorCode::kMessageNotFound:
      return "MessageNotFound";
    case ErrorCode::kMessageSizeExceeded:
      return "MessageSizeExceeded";
    case ErrorCode::kQuotaExceeded:
      return "QuotaExceeded";
    case ErrorCode::kServiceBusy:
      return "ServiceBusy";
    case ErrorCode::kServiceTimeout:
      return "ServiceTimeout";
    case ErrorCode::kServiceCommunicationProblem:
      return "ServiceCommunicationProblem";
    case ErrorCode::kPartitionNotOwned:
      return "PartitionNotOwned";
    case ErrorCode::kInvalidOperation:
      return "InvalidOperation";
    case ErrorCode::kArgumentError:
      return "ArgumentError";
    case ErrorCode::kArgumentOutOfRange:
      return "ArgumentOutOfRange";
    case ErrorCode::kFilterException:
      return "FilterException";
    case ErrorCode::kRuleActionException:
      return "RuleActionException";
    case ErrorCode::kNoMatchingSubscription:
      return "NoMatchingSubscription";
    case ErrorCode::kTransactionSizeExceeded:
      return "TransactionSizeExceeded";
    case ErrorCode::kTransactionUnknown:
      return "TransactionUnknown";
    case ErrorCode::kTransactionAborted:
      return "TransactionAborted";
    case ErrorCode::kUnauthorized:
      return "Unauthorized";
    case ErrorCode::kForbidden:
      return "Forbidden";
    case ErrorCode::kNotImplemented:
      return "NotImplemented";
    case ErrorCode::kGeneralError:
      return "GeneralError";
  }
  return "GeneralError";
}

bool IsTransient(ErrorCode code) {
  switch (code) {
    case ErrorCode::kSessionCannotBeLocked:
    case ErrorCode::kServiceBusy:
    case ErrorCode::kServiceTimeout:
    case ErrorCode::kServiceCommunicationProblem:
    case ErrorCode::kPartitionNotOwned:
    case ErrorCode::kGeneralError:
      return true;
    default:
      return false;
  }
}

std::string Status::ToString() const {
  return ok() ? std::string("Ok") : fmt::format("{}: {}", ReasonOf(code_), message_);
}

}  // namespace wharf
