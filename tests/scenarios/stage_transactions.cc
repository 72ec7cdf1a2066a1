// Transactions on the stage.

#include <stdexcept>

#include <fmt/core.h>

#include "tests/scenarios/arguments.h"
#include "tests/scenarios/stage.h"

namespace wharf {
namespace {

// What its operations brought about, and why it was rolled back, where the changes do not say it.
std::vector<std::string> Told(const Result<TransactionRecord>& record) {
  if (!record.ok()) return {record.status().ToString()};
  return {};
}

std::string ResultsOf(const TransactionRecord& record) {
  std::string text;
  for (const OperationResult& result : record.results) {
    for (const SendOutcome& sent : result.sent) {
      text +=
          fmt::format(" {}={}", sent.is_duplicate ? "duplicate-of" : "seq", sent.number.value());
    }
    if (result.locked_until) text += " until=" + TextOf(*result.locked_until);
  }
  return text;
}

Settlement SettlementOf(const Command& command) {
  static const std::map<std::string, SettleVerb> kVerbs = {
      {"complete", SettleVerb::kComplete},
      {"abandon", SettleVerb::kAbandon},
      {"release", SettleVerb::kRelease},
      {"defer", SettleVerb::kDefer},
      {"dead-letter", SettleVerb::kDeadLetter}};
  const auto verb = kVerbs.find(command.verb);
  if (verb == kVerbs.end()) throw std::runtime_error("no part of a transaction: " + command.verb);
  Settlement settlement{.verb = verb->second,
                        .properties_to_modify = PropertiesOf(command),
                        .reason = command.Find("reason"),
                        .description = command.Find("description")};
  if (const auto delay = command.Find("delay")) settlement.delay = DurationOf(*delay);
  return settlement;
}

std::vector<Message> MessagesOf(const Command& command) {
  std::vector<Message> messages(NumberOf(command, "count", 1), MessageOf(command));
  const auto time = command.Find("scheduled");
  for (Message& message : messages) {
    if (time) message.scheduled_enqueue_time = kHarnessStart + DurationOf(*time);
  }
  return messages;
}

}  // namespace

std::vector<LockToken> Stage::ValidTokensOf(const Command& command) const {
  std::vector<LockToken> tokens;
  for (const Result<LockToken>& token : TokensOf(command)) tokens.push_back(*token);
  return tokens;
}

Operation Stage::OperationOf(const Command& command) const {
  if (command.verb == "send") return {command.path, SendMessages{MessagesOf(command)}};
  if (command.verb == "renew") return {command.path, RenewLocks{ValidTokensOf(command)}};
  if (command.verb == "set-session-state") {
    return {command.path,
            wharf::SetState{*SessionOf(command), command.Find("state"), ValidTokensOf(command)}};
  }
  return {command.path, SettleMessages{ValidTokensOf(command), SettlementOf(command)}};
}

Stage::Lines Stage::AddToTransaction(const Command& command) {
  if (const auto run = command.Find("run")) {
    kept_[*run].push_back(OperationOf(command));
    return {};
  }
  return Told(engine_.AddToTransaction(*command.Find("in"), OperationOf(command)));
}

Stage::Lines Stage::RunTransaction(const Command& command) {
  const auto record = engine_.RunTransaction(command.path, kept_[command.path]);
  if (!record.ok()) return Told(record);
  return {"committed" + ResultsOf(*record)};
}

Stage::Lines Stage::BeginTransaction(const Command& command) {
  return Told(engine_.BeginTransaction(command.path));
}

Stage::Lines Stage::CommitTransaction(const Command& command) {
  const auto record = engine_.CommitTransaction(command.path);
  if (!record.ok()) return Told(record);
  return {"committed" + ResultsOf(*record)};
}

Stage::Lines Stage::RollBackTransaction(const Command& command) {
  return Told(engine_.RollBackTransaction(command.path));
}

Stage::Lines Stage::ShowTransaction(const Command& command) {
  const auto record = engine_.GetTransaction(command.path);
  if (!record.ok()) return Told(record);
  switch (record->state) {
    case TransactionState::kOpen:
      return {fmt::format("open operations={} until={}{}", record->operations,
                          TextOf(record->ends_at),
                          record->reason.empty() ? "" : " failed: " + record->reason)};
    case TransactionState::kCommitted:
      return {fmt::format("committed at={}{}", TextOf(record->ends_at), ResultsOf(*record))};
    case TransactionState::kRolledBack:
      return {fmt::format("rolled back at={}: {}", TextOf(record->ends_at), record->reason)};
  }
  return {};
}

}  // namespace wharf
