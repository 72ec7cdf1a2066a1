#include "tools/wharf/receiving/settlement_failures.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf::tool {

void SettlementFailures::Add(const std::vector<Held>& messages,
                             const Result<client::SettleReceipt>& receipt) {
  MutexLock lock(mutex_);
  if (!receipt.ok()) {
    for (const Held& message : messages) AddOne(message.number, receipt.status());
    return;
  }
  for (const v1::TokenResult& failure : receipt->failures) {
    const auto message = std::find_if(messages.begin(), messages.end(), [&](const Held& candidate) {
      return candidate.lock_token == failure.lock_token();
    });
    if (message != messages.end()) AddOne(message->number, client::ToStatus(failure.error()));
  }
}

void SettlementFailures::AddOne(std::int64_t number, const Status& status) {
  Failure& failure = failures_[{status.code(), status.outcome()}];
  if (failure.numbers.count() == 0) failure.sentence = status.message();
  failure.numbers.Add(number);
}

ExitCode SettlementFailures::Report(Program& program) const {
  MutexLock lock(mutex_);
  ExitCode code = ExitCode::kOk;
  for (const auto& [reason, failure] : failures_) {
    const auto& [error, outcome] = reason;
    const bool is_unknown = outcome == Outcome::kUnknown;
    program.PrintError(
        {error,
         fmt::format("{} of {} messages: {} (number {})",
                     is_unknown ? "it is not known what became" : "no settlement",
                     failure.numbers.count(), failure.sentence, failure.numbers.ToString()),
         outcome});
    if (code != ExitCode::kUnknown) code = is_unknown ? ExitCode::kUnknown : ExitCode::kFailed;
  }
  return code;
}

}  // namespace wharf::tool
