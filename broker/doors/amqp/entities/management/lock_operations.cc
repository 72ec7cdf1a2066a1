#include <utility>
#include <vector>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/management/operations.h"

namespace wharf::amqp {
namespace {

// What a token counts for while it is not answered.
constexpr std::size_t kTokenBytes = 64;
constexpr std::size_t kMovedMax = 256;

Result<std::vector<LockToken>> SomeTokens(const Operation& operation) {
  const TokenList said = operation.Tokens();
  if (said.empty() || said.size() > kItemsMax) {
    return Status(ErrorCode::kArgumentError, "lock-tokens has 1 to 4500 of them");
  }
  std::vector<LockToken> tokens;
  tokens.reserve(said.size());
  for (const Result<LockToken>& token : said) {
    if (!token.ok()) return token.status();
    tokens.push_back(*token);
  }
  return tokens;
}

Result<SettleVerb> VerbOf(const std::string& status) {
  if (status == "completed") return SettleVerb::kComplete;
  if (status == "abandoned") return SettleVerb::kAbandon;
  if (status == "defered") return SettleVerb::kDefer;
  if (status == "suspended") return SettleVerb::kDeadLetter;
  return Status(ErrorCode::kArgumentError,
                "disposition-status is completed, abandoned, defered or suspended");
}

Result<Settlement> SettlementFor(const Operation& operation) {
  const Result<SettleVerb> verb = VerbOf(operation.Text("disposition-status").value_or(""));
  if (!verb.ok()) return verb.status();
  Settlement settlement{.verb = *verb,
                        .reason = operation.Text("deadletter-reason"),
                        .description = operation.Text("deadletter-description")};
  if (*verb != SettleVerb::kDeadLetter) settlement.reason = settlement.description = std::nullopt;
  if (const auto* const changes = operation.Find<Map>("properties-to-modify")) {
    Result<PropertyMap> properties = PropertiesFrom(*changes);
    if (!properties.ok()) return properties.status();
    settlement.properties_to_modify = *std::move(properties);
  }
  return settlement;
}

// All of it or nothing, in one commit; `then` hears what came of it.
template <typename What, typename Then>
void DoAll(const OperationPtr& operation, What what, std::size_t bytes, Then then) {
  RunTransactionRequest request;
  request.operations.push_back({.path = operation->path(), .what = std::move(what)});
  operation->Ask(std::move(request), bytes,
                 [then = std::move(then)](Operation& self, const TransactionRecord& record) {
                   then(self, record.results.front());
                 });
}

void AnswerTimes(Operation& operation, Timestamp until, std::size_t count) {
  Array times{.descriptors = {}, .type = Type::kTimestamp, .items = {}};
  for (std::size_t i = 0; i < count; ++i) times.items.emplace_back(MsFrom(until));
  Map body;
  Put(body, "expirations", Value(std::move(times)));
  operation.Done(std::move(body));
}

// More would have to be read at once, for their way to the dead-letter queue.
Status CheckMoved(const SettleMessages& settle) {
  const bool moves = settle.settlement.verb == SettleVerb::kDeadLetter;
  if (!moves || settle.tokens.size() <= kMovedMax) return {};
  return {ErrorCode::kArgumentOutOfRange, "at most 256 messages are dead-lettered together"};
}

// By itself it needs no more than its lock.
void SettleOne(const OperationPtr& operation, SettleMessages settle) {
  operation->Ask(
      SettleRequest{operation->entity(), {settle.tokens.front()}, std::move(settle.settlement)},
      kTokenBytes, [](Operation& self, const SettleReceipt& receipt) {
        if (!receipt.front().ok()) return self.Fail(receipt.front());
        self.Done();
      });
}

// As SDKs do it, again and again: nothing is kept of it, as it would be of what is done together.
void RenewOne(const OperationPtr& operation, LockToken token) {
  operation->Ask(RenewLockRequest{operation->entity(), {token}}, kTokenBytes,
                 [](Operation& self, const RenewReceipt& receipt) {
                   if (!receipt.front().ok()) return self.Fail(receipt.front().status());
                   AnswerTimes(self, *receipt.front(), 1);
                 });
}

}  // namespace

// Also in a transaction it is done at once: its client needs the time now.
void RenewLock(const OperationPtr& operation) {
  Result<std::vector<LockToken>> tokens = SomeTokens(*operation);
  if (!tokens.ok()) return operation->Fail(tokens.status());
  if (tokens->size() == 1) return RenewOne(operation, tokens->front());
  const std::size_t count = tokens->size();
  DoAll(operation, RenewLocks{*std::move(tokens)}, count * kTokenBytes,
        [count](Operation& self, const OperationResult& result) {
          AnswerTimes(self, *result.locked_until, count);
        });
}

void UpdateDisposition(const OperationPtr& operation) {
  Result<std::vector<LockToken>> tokens = SomeTokens(*operation);
  if (!tokens.ok()) return operation->Fail(tokens.status());
  Result<Settlement> settlement = SettlementFor(*operation);
  if (!settlement.ok()) return operation->Fail(settlement.status());
  const std::size_t bytes = tokens->size() * kTokenBytes;
  SettleMessages settle{*std::move(tokens), *std::move(settlement)};
  if (const Status refused = CheckMoved(settle); !refused.ok()) return operation->Fail(refused);
  if (operation->is_in_transaction()) {
    return operation->AddToTransaction(std::move(settle), bytes,
                                       [](Operation& self) { self.Done(); });
  }
  if (settle.tokens.size() == 1) return SettleOne(operation, std::move(settle));
  DoAll(operation, std::move(settle), bytes,
        [](Operation& self, const OperationResult&) { self.Done(); });
}

}  // namespace wharf::amqp
