#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/operations.h"

namespace wharf::amqp {
namespace {

// What a token counts for while it is not answered.
constexpr std::size_t kTokenBytes = 64;

Result<TokenList> SomeTokens(const Operation& operation) {
  TokenList tokens = operation.Tokens();
  if (tokens.empty() || tokens.size() > kItemsMax) {
    return Status(ErrorCode::kArgumentError, "lock-tokens has 1 to 4500 of them");
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

}  // namespace

void RenewLock(const OperationPtr& operation) {
  Result<TokenList> tokens = SomeTokens(*operation);
  if (!tokens.ok()) return operation->Fail(tokens.status());
  const std::size_t bytes = tokens->size() * kTokenBytes;
  operation->Ask(RenewLockRequest{operation->entity(), *std::move(tokens)}, bytes,
                 [](Operation& self, const RenewReceipt& receipt) {
                   Array times{.descriptors = {}, .type = Type::kTimestamp, .items = {}};
                   for (const Result<Timestamp>& until : receipt) {
                     if (!until.ok()) return self.Fail(until.status());
                     times.items.emplace_back(MsFrom(*until));
                   }
                   Map body;
                   Put(body, "expirations", Value(std::move(times)));
                   self.Done(std::move(body));
                 });
}

void UpdateDisposition(const OperationPtr& operation) {
  Result<TokenList> tokens = SomeTokens(*operation);
  if (!tokens.ok()) return operation->Fail(tokens.status());
  Result<Settlement> settlement = SettlementFor(*operation);
  if (!settlement.ok()) return operation->Fail(settlement.status());
  const std::size_t bytes = tokens->size() * kTokenBytes;
  operation->Ask(SettleRequest{operation->entity(), *std::move(tokens), *std::move(settlement)},
                 bytes, [](Operation& self, const SettleReceipt& receipt) {
                   for (const Status& settled : receipt) {
                     if (!settled.ok()) return self.Fail(settled);
                   }
                   self.Done();
                 });
}

}  // namespace wharf::amqp
