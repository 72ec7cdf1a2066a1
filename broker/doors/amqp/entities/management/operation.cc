#include "broker/doors/amqp/entities/management/operation.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "absl/strings/escaping.h"
#include "broker/core/messages/text.h"
#include "broker/doors/amqp/entities/management/number_of.h"
#include "broker/doors/amqp/entities/transactions/transaction_node.h"

namespace wharf::amqp {
namespace {

// What clients wrote themselves stands in the log.
constexpr std::size_t kNameBytesMax = 60;

// As long as SDKs wait by default.
constexpr std::chrono::seconds kPatienceUnsaid{60};

Caller CallerOf(const LinkWorld& world, access::PermitPtr permit,
                const ManagementRequest& request) {
  Caller caller = world.CallerWith(std::move(permit));
  caller.patience = request.patience;
  return caller;
}

}  // namespace

Timestamp TimeFrom(TimestampMs time) {
  constexpr auto kLast = std::chrono::floor<std::chrono::milliseconds>(kNever.time_since_epoch());
  if (time.ms >= kLast.count()) return kNever;
  return Timestamp(std::chrono::milliseconds(std::max<std::int64_t>(time.ms, 0)));
}

TimestampMs MsFrom(Timestamp time) {
  return {std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count()};
}

Operation::Operation(LinkWorld world, access::PermitPtr permit, ManagementRequest request,
                     std::optional<Binary> txn_id, Node& node, Answered answered)
    : world_(std::move(world)),
      caller_(CallerOf(world_, std::move(permit), request)),
      request_(std::move(request)),
      txn_id_(std::move(txn_id)),
      give_up_at_(world_.connection.now() + request_.patience.value_or(kPatienceUnsaid)),
      node_(node),
      answered_(std::move(answered)) {}

std::optional<std::string> Operation::Text(std::string_view key) const {
  const auto* const text = Find<std::string>(key);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::int64_t> Operation::Number(std::string_view key) const {
  const Value* const found = request_.body.FindString(key);
  return found == nullptr ? std::nullopt : NumberOf(*found);
}

const std::vector<Value>& Operation::Items(std::string_view key) const {
  static const std::vector<Value> kNone;
  if (const auto* const array = Find<Array>(key)) return array->items;
  if (const auto* const list = Find<List>(key)) return list->items;
  return kNone;
}

// In the order of their bytes; only a delivery's tag is otherwise.
TokenList Operation::Tokens() const {
  TokenList tokens;
  for (const Value& item : Items("lock-tokens")) {
    const auto* const token = item.As<amqp::Uuid>();
    if (token == nullptr) {
      tokens.emplace_back(Status(ErrorCode::kArgumentError, "a lock token is a uuid"));
    } else {
      tokens.emplace_back(
          LockToken::FromBytes(std::string_view(token->bytes.data(), token->bytes.size())));
    }
  }
  return tokens;
}

// What is no number is that of no message.
Numbers Operation::SequenceNumbers() const {
  Numbers numbers;
  for (const Value& item : Items("sequence-numbers")) {
    numbers.emplace_back(static_cast<std::uint64_t>(NumberOf(item).value_or(0)));
  }
  return numbers;
}

Result<LockToken> Operation::HeldSession() const {
  const std::optional<std::string> id = Text("session-id");
  if (!id.has_value()) {
    return Status(ErrorCode::kArgumentError, fmt::format("{} needs a session-id", name()));
  }
  const AcceptedSession* const session = node_.find_session(path(), *id);
  return session == nullptr ? LockToken() : session->token;
}

void Operation::AddAny(wharf::Operation what, std::size_t bytes, std::function<void()> then) {
  world_.transactions.Add(world_, caller_, *txn_id_, std::move(what), bytes,
                          [self = shared_from_this(), then = std::move(then)](const Status& added) {
                            if (!added.ok()) return self->Fail(added);
                            then();
                          });
}

Status Operation::CheckWalk() const {
  if (world_.link() == nullptr) {
    return {ErrorCode::kServiceCommunicationProblem, "the link that asked for it is gone"};
  }
  if (world_.connection.now() < give_up_at_) return {};
  return {ErrorCode::kServiceTimeout, "nothing was found in time: ask for a part of it"};
}

TokenList Operation::TokensOf(const std::vector<wharf::Delivered>& delivered) {
  TokenList tokens;
  for (const wharf::Delivered& each : delivered) tokens.emplace_back(each.token);
  return tokens;
}

void Operation::Answer(ManagementReply reply) {
  reply.locked = locked_;
  answered_(request_, reply);
}

void Operation::Done(Map body) {
  ManagementReply reply;
  reply.body = std::move(body);
  Answer(std::move(reply));
}

void Operation::Done(LargeReplyMessage large) {
  ManagementReply reply;
  reply.large = std::move(large);
  Answer(std::move(reply));
}

void Operation::Nothing(std::string condition) {
  Answer({.status_number = ManagementReply::kNothing,
          .description = "No Content",
          .condition = std::move(condition)});
}

void Operation::Fail(const Status& why) {
  if (txn_id_.has_value()) world_.transactions.Fail(*txn_id_, why);
  const Error error = ErrorOn(path(), why, caller_.tracking_id);
  const std::string what =
      fmt::format("its {} failed", absl::CHexEscape(Shortened(name(), kNameBytesMax)));
  world_.connection.NoteError({what, error, path(), caller_.tracking_id});
  Answer(ReplyFor(error, why.code()));
}

}  // namespace wharf::amqp
