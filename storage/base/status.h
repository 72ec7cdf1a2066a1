// Status and Result<T>: how everything in Wharf says that something did not work.
//
// The codes are the reasons of Service Bus, the words that users see; each door translates them in
// one table. Values, used on every thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace wharf {

enum class ErrorCode : std::uint8_t {
  kOk,
  kMessagingEntityNotFound,
  kMessagingEntityAlreadyExists,
  kMessagingEntityDisabled,
  kMessageLockLost,
  kSessionLockLost,
  kSessionCannotBeLocked,
  kMessageNotFound,
  kMessageSizeExceeded,
  kQuotaExceeded,
  kServiceBusy,
  kServiceTimeout,
  kServiceCommunicationProblem,
  kPartitionNotOwned,
  kInvalidOperation,
  kArgumentError,
  kArgumentOutOfRange,
  kFilterException,
  kRuleActionException,
  kNoMatchingSubscription,
  kTransactionSizeExceeded,
  kTransactionUnknown,
  kTransactionAborted,
  kUnauthorized,
  kForbidden,
  kNotImplemented,
  kGeneralError,
};

// In the order of the enum, so that tests and tables can walk it.
inline constexpr ErrorCode kAllErrorCodes[] = {
    ErrorCode::kOk,
    ErrorCode::kMessagingEntityNotFound,
    ErrorCode::kMessagingEntityAlreadyExists,
    ErrorCode::kMessagingEntityDisabled,
    ErrorCode::kMessageLockLost,
    ErrorCode::kSessionLockLost,
    ErrorCode::kSessionCannotBeLocked,
    ErrorCode::kMessageNotFound,
    ErrorCode::kMessageSizeExceeded,
    ErrorCode::kQuotaExceeded,
    ErrorCode::kServiceBusy,
    ErrorCode::kServiceTimeout,
    ErrorCode::kServiceCommunicationProblem,
    ErrorCode::kPartitionNotOwned,
    ErrorCode::kInvalidOperation,
    ErrorCode::kArgumentError,
    ErrorCode::kArgumentOutOfRange,
    ErrorCode::kFilterException,
    ErrorCode::kRuleActionException,
    ErrorCode::kNoMatchingSubscription,
    ErrorCode::kTransactionSizeExceeded,
    ErrorCode::kTransactionUnknown,
    ErrorCode::kTransactionAborted,
    ErrorCode::kUnauthorized,
    ErrorCode::kForbidden,
    ErrorCode::kNotImplemented,
    ErrorCode::kGeneralError,
};

// The reason as Service Bus spells it, e.g. "MessageLockLost".
std::string_view ReasonOf(ErrorCode code);

// Whether the same request may succeed later without anyone changing anything.
bool IsTransient(ErrorCode code);

// Whether a failed request changed something.
enum class Outcome : std::uint8_t {
  kNotDone,  // Nothing changed.
  kUnknown,  // It may or may not have taken effect.
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message, Outcome outcome = Outcome::kNotDone)
      : code_(code), outcome_(outcome), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  // What is stored cannot be read, here; what lies beside it may be.
  static Status Damage(std::string message) {
    Status damage(ErrorCode::kGeneralError, std::move(message));
    damage.is_damage_ = true;
    return damage;
  }

  // Another node of the cluster does what was asked of this one (ERR-26), which did nothing.
  // `leader`: where its clients ask; empty: this node does not know who that is.
  static Status NotOwned(std::string leader, std::string message) {
    Status elsewhere(ErrorCode::kPartitionNotOwned, std::move(message));
    elsewhere.leader_ = std::move(leader);
    return elsewhere;
  }

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  Outcome outcome() const { return outcome_; }
  // Retrying does not help, and going on behind the place may.
  bool is_damage() const { return is_damage_; }
  // One sentence for the person on call: what, which entity, what now.
  const std::string& message() const { return message_; }
  // Of kPartitionNotOwned: the address to ask at instead, if it is known.
  const std::string& leader() const { return leader_; }
  // "MessageLockLost: the lock ..." for logs.
  std::string ToString() const;

  friend bool operator==(const Status&, const Status&) = default;

 private:
  ErrorCode code_ = ErrorCode::kOk;
  Outcome outcome_ = Outcome::kNotDone;
  bool is_damage_ = false;
  std::string message_;
  std::string leader_;
};

// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is the point.
  Result(T value) : content_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as above.
  Result(Status error) : content_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(content_); }
  Status status() const { return ok() ? Status::Ok() : std::get<Status>(content_); }

  T& value() & { return std::get<T>(content_); }
  const T& value() const& { return std::get<T>(content_); }
  T&& value() && { return std::get<T>(std::move(content_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<Status, T> content_;
};

}  // namespace wharf

// Leaves the function with the status if it is an error.
#define WHARF_RETURN_IF_ERROR(expression)                                      \
  do {                                                                         \
    if (::wharf::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)
