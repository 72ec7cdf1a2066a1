#include "tools/wharf/receiving/handover.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

namespace wharf::tool {
namespace {

constexpr std::size_t kTokensPerSettlementMax = 4500;

}  // namespace

Handover::Handover(Output& out, const Interruption& interruption, HandoverOptions options,
                   Settler settler)
    : interruption_(interruption),
      options_(std::move(options)),
      settler_(std::move(settler)),
      printer_(options_.style),
      output_(out, interruption, [this](std::uint64_t count) { OnTaken(count); }) {}

void Handover::GiveOne(const v1::ReceivedMessage& message) {
  Held held{.lock_token = message.lock_token(), .number = message.sequence_number()};
  // What is gone from the queue is printed also when the user wants an end.
  if (output_.is_broken() || (is_locked() && interruption_.is_raised())) {
    unseen_.push_back(std::move(held));
    return;
  }
  printed_.push_back(std::move(held));
  printer_.Print(message, output_);
}

void Handover::OnTaken(std::uint64_t count) {
  const auto end = printed_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Held> taken(std::make_move_iterator(printed_.begin()), std::make_move_iterator(end));
  printed_.erase(printed_.begin(), end);
  if (!is_locked()) return;
  if (gives_back() || !options_.verb) kept_count_ += taken.size();
  if (gives_back()) {
    std::move(taken.begin(), taken.end(), std::back_inserter(kept_));
  } else if (options_.verb) {
    Settle(*options_.verb, options_.details, std::move(taken));
  }
}

// What was deleted when it was sent to us is told at the end.
void Handover::ReleaseUnseen() {
  if (is_locked()) Settle(Verb::kRelease, {}, std::exchange(unseen_, {}));
}

void Handover::Settle(Verb verb, const VerbDetails& details, std::vector<Held>&& messages) {
  for (std::size_t at = 0; at < messages.size(); at += kTokensPerSettlementMax) {
    const std::size_t end = std::min(messages.size(), at + kTokensPerSettlementMax);
    v1::Settlement settlement = MakeSettlement(verb, details);
    for (std::size_t i = at; i < end; ++i) settlement.add_lock_tokens(messages[i].lock_token);
    const auto begin = std::make_move_iterator(messages.begin());
    settler_(std::move(settlement),
             {begin + static_cast<std::ptrdiff_t>(at), begin + static_cast<std::ptrdiff_t>(end)});
  }
}

void Handover::Finish() {
  output_.WaitUntilTaken();
  unseen_.insert(unseen_.begin(), std::make_move_iterator(printed_.begin()),
                 std::make_move_iterator(printed_.end()));
  printed_.clear();
  ReleaseUnseen();
  for (const Held& message : unseen_) lost_.Add(message.number);
  if (gives_back()) Settle(*options_.verb, options_.details, std::exchange(kept_, {}));
}

ExitCode Handover::Report(Program& program) const {
  if (lost_.count() > 0) {
    program.PrintError({ErrorCode::kGeneralError,
                        fmt::format("{} messages were deleted, as receive-and-delete does, and not "
                                    "read from our output (number {})",
                                    lost_.count(), lost_.ToString())});
    return ExitCode::kFailed;
  }
  return output_.is_broken() ? ExitCode::kFailed : ExitCode::kOk;
}

}  // namespace wharf::tool
