#include "tools/crash/load/unary_receiver.h"

#include "tools/crash/load/fate.h"
#include "tools/crash/recorded_client.h"

namespace wharf::crash {
namespace {

Source DrawSource(const LoadQueues& queues, Dice& dice) {
  return {.queue = dice.Chance(50) ? queues.orders : queues.retries,
          .lane = dice.Chance(30) ? Lane::kDeadLetter : Lane::kMain};
}

Status Settle(Life& life, RecordedClient& client, const Source& source, Fate fate,
              const std::vector<std::string>& tokens, Dice& dice) {
  if (fate == Fate::kForget) return {};
  if (fate == Fate::kHold) {
    life.held_locks.Hold(source, tokens);
    return {};
  }
  if (fate == Fate::kRenew) {
    for (const std::string& token : tokens) {
      const Status renewed = client.RenewLock(source, token).status();
      if (IsGone(renewed)) {
        life.held_locks.Hold(source, tokens);
        return renewed;
      }
    }
  }
  std::vector<std::string> unsettled;
  const Status status = client.Settle(source, tokens, SettlingFor(fate, dice), unsettled);
  life.held_locks.Hold(source, unsettled);
  return status;
}

}  // namespace

void UnaryReceiver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  while (!life.progress.is_over()) {
    const Source source = DrawSource(life.queues, dice);
    const Duration wait = std::chrono::milliseconds(source.lane == Lane::kMain ? 100 : 10);
    const auto messages_max = static_cast<std::uint32_t>(dice.Between(1, 20));
    const auto deliveries = client.Receive(source, Mode::kPeekLock, messages_max, wait);
    if (!deliveries.ok() && IsGone(deliveries.status())) return;
    if (!deliveries.ok()) continue;
    Status status;
    for (const auto& [fate, tokens] : DrawFates(*deliveries, dice)) {
      if (IsGone(status)) {
        life.held_locks.Hold(source, tokens);
      } else {
        status = Settle(life, client, source, fate, tokens, dice);
      }
    }
    if (IsGone(status)) return;
  }
}

}  // namespace wharf::crash
