#include "broker/doors/grpc/convert/convert_transaction.h"

#include <utility>

#include <fmt/core.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_session.h"
#include "broker/doors/grpc/convert/convert_time.h"

namespace wharf {
namespace {

// Here a token that is none fails the whole request.
Result<std::vector<LockToken>> AllTokensFromProto(
    const google::protobuf::RepeatedPtrField<std::string>& protos) {
  std::vector<LockToken> tokens;
  tokens.reserve(static_cast<std::size_t>(protos.size()));
  for (const Result<LockToken>& token : TokensFromProto(protos)) {
    if (!token.ok()) return token.status();
    tokens.push_back(*token);
  }
  return tokens;
}

template <typename Request>
Result<Operation> PartFromProto(Request& proto) {
  if (proto.transaction_id().empty()) return OperationFromProto(proto);
  return BadValue("transaction_id", "must stand in the transaction, not in its operations");
}

Result<Operation> FromProto(v1::TransactionOperation& proto) {
  switch (proto.operation_case()) {
    case v1::TransactionOperation::kSend:
      return PartFromProto(*proto.mutable_send());
    case v1::TransactionOperation::kSettle:
      return PartFromProto(*proto.mutable_settle());
    case v1::TransactionOperation::kRenewLock:
      return PartFromProto(*proto.mutable_renew_lock());
    case v1::TransactionOperation::kSetSessionState:
      return PartFromProto(*proto.mutable_set_session_state());
    case v1::TransactionOperation::OPERATION_NOT_SET:
      break;
  }
  return BadValue("the operation", "is none of send, settle, renew_lock and set_session_state");
}

v1::TransactionState StateOf(TransactionState state) {
  switch (state) {
    case TransactionState::kOpen:
      return v1::TRANSACTION_STATE_OPEN;
    case TransactionState::kCommitted:
      return v1::TRANSACTION_STATE_COMMITTED;
    case TransactionState::kRolledBack:
      return v1::TRANSACTION_STATE_ROLLED_BACK;
  }
  return v1::TRANSACTION_STATE_UNSPECIFIED;
}

void ResultToProto(const OperationResult& result, v1::TransactionResult* proto) {
  for (const SendOutcome& sent : result.sent) {
    ToProto(Result<SendOutcome>(sent), AboutRequest(), proto->add_sent());
  }
  if (result.locked_until) ToProto(*result.locked_until, proto->mutable_locked_until());
}

// In steps: the optimiser of gcc 12 warns of what it makes of an Operation built at one go.
template <typename What>
Operation On(const std::string& path, What what) {
  Operation operation;
  operation.path = path;
  operation.what = std::move(what);
  return operation;
}

}  // namespace

Result<Operation> OperationFromProto(v1::SendRequest& proto) {
  if (Status large = CheckRequestSize(proto); !large.ok()) return large;
  Result<std::vector<Message>> messages = FromProto(*proto.mutable_messages());
  if (!messages.ok()) return messages.status();
  return On(proto.entity_path(), SendMessages{*std::move(messages)});
}

Result<Operation> OperationFromProto(v1::SettleRequest& proto) {
  Result<Settlement> settlement = FromProto(proto.settlement());
  if (!settlement.ok()) return settlement.status();
  Result<std::vector<LockToken>> tokens = AllTokensFromProto(proto.settlement().lock_tokens());
  if (!tokens.ok()) return tokens.status();
  return On(proto.entity_path(), SettleMessages{*std::move(tokens), *std::move(settlement)});
}

Result<Operation> OperationFromProto(v1::RenewLockRequest& proto) {
  Result<std::vector<LockToken>> tokens = AllTokensFromProto(proto.lock_tokens());
  if (!tokens.ok()) return tokens.status();
  return On(proto.entity_path(), RenewLocks{*std::move(tokens)});
}

Result<Operation> OperationFromProto(v1::SetSessionStateRequest& proto) {
  const Result<LockToken> session = SessionTokenFromProto(proto.session_lock_token());
  if (!session.ok()) return session.status();
  Result<std::vector<LockToken>> completed = AllTokensFromProto(proto.complete_lock_tokens());
  if (!completed.ok()) return completed.status();
  SetState set{.session = *session, .completed = *std::move(completed)};
  if (proto.has_state()) set.state = std::move(*proto.mutable_state());
  return On(proto.entity_path(), std::move(set));
}

Result<std::vector<Operation>> FromProto(v1::RunTransactionRequest& proto) {
  std::vector<Operation> operations;
  for (v1::TransactionOperation& each : *proto.mutable_operations()) {
    Result<Operation> operation = FromProto(each);
    if (!operation.ok()) {
      return Status(
          operation.status().code(),
          fmt::format("operation {}: {}", operations.size() + 1, operation.status().message()));
    }
    operations.push_back(*std::move(operation));
  }
  return operations;
}

std::optional<TransactionId> TransactionIdFromProto(const std::string& proto) {
  return proto.empty() ? std::nullopt : std::optional<TransactionId>(proto);
}

void ToProto(const TransactionRecord& record, v1::Transaction* proto) {
  const bool is_open = record.state == TransactionState::kOpen;
  proto->set_transaction_id(record.id);
  proto->set_state(StateOf(record.state));
  ToProto(record.begun_at, proto->mutable_begun_time());
  if (!is_open) {
    ToProto(record.ends_at, proto->mutable_ended_time());
    ToProto(record.forget_after, proto->mutable_forgotten_after());
  } else if (record.ends_at != kNever) {
    ToProto(record.ends_at, proto->mutable_expires_time());
  }
  proto->set_operation_count(static_cast<std::uint32_t>(record.operations));
  for (const OperationResult& result : record.results) ResultToProto(result, proto->add_results());
  proto->set_failure(record.reason);
}

}  // namespace wharf
