#include "tools/wharf/bench/scramble.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tools/wharf/bench/bounds.h"
#include "tools/wharf/terminal/progress_bar.h"

namespace wharf::tool {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t kTokensPerSettlement = 1000;

// All are taken before the first is given back: it would come again.
Result<Tokens> TakeMessages(client::Receiver& receiver, std::uint64_t count) {
  Tokens tokens;
  ProgressBar progress(count, "locking");
  while (tokens.size() < count) {
    progress.Update(tokens.size());
    auto messages = receiver.Receive(count - tokens.size(), kPatience);
    if (!messages.ok()) return messages.status();
    if (messages->empty()) {
      return Status(ErrorCode::kInvalidOperation,
                    fmt::format("only {} of {} messages could be locked: no more came, or the "
                                "broker allows no more locks",
                                tokens.size(), count));
    }
    for (v1::ReceivedMessage& message : *messages) {
      tokens.push_back(std::move(*message.mutable_lock_token()));
    }
  }
  return tokens;
}

// `verb` is the settlement without tokens. Counts what failed.
void SettleAll(client::Receiver& receiver, const v1::Settlement& verb, Tokens tokens,
               std::atomic<std::uint64_t>& failures) {
  for (std::size_t at = 0; at < tokens.size(); at += kTokensPerSettlement) {
    const std::size_t end = std::min(at + kTokensPerSettlement, tokens.size());
    v1::Settlement settlement = verb;
    for (std::size_t i = at; i < end; ++i) settlement.add_lock_tokens(std::move(tokens[i]));
    receiver.Settle(std::move(settlement),
                    [&failures, count = end - at](Result<client::SettleReceipt> receipt) {
                      failures += receipt.ok() ? receipt->failures.size() : count;
                    });
  }
}

}  // namespace

Result<ScrambleReport> Scramble(client::Client& client, const ScramblePlan& plan) {
  const auto receiver = client.CreateReceiver(
      plan.queue, {.prefetch_messages = kPrefetch, .messages_max = plan.count});
  Result<Tokens> tokens = TakeMessages(*receiver, plan.count);
  if (!tokens.ok()) return tokens.status();

  std::mt19937_64 random(plan.seed);
  Tokens abandoned;
  Tokens dead_lettered;
  ScrambleReport report;
  for (std::string& token : *tokens) {
    const std::uint64_t lot = random() % 3;
    if (lot == 0) {
      ++report.locked;
    } else {
      (lot == 1 ? abandoned : dead_lettered).push_back(std::move(token));
    }
  }
  report.abandoned = abandoned.size();
  report.dead_lettered = dead_lettered.size();

  std::atomic<std::uint64_t> failures = 0;
  v1::Settlement abandon;
  abandon.mutable_abandon();
  SettleAll(*receiver, abandon, std::move(abandoned), failures);
  v1::Settlement dead_letter;
  dead_letter.mutable_dead_letter()->set_reason("Scrambled");
  SettleAll(*receiver, dead_letter, std::move(dead_lettered), failures);
  WHARF_RETURN_IF_ERROR(receiver->Flush());
  if (failures == 0) return report;
  return Status(ErrorCode::kGeneralError,
                fmt::format("{} messages could not be settled", failures.load()));
}

}  // namespace wharf::tool
