#include "tools/crash/load/receiving/settle_by_lot.h"

#include "tools/crash/load/receiving/fate.h"

namespace wharf::crash {
namespace {

Status Settle(Life& life, RecordedClient& client, const Source& source, Fate fate,
              const std::vector<std::string>& tokens, Dice& dice) {
  if (fate == Fate::kForget) return {};
  if (fate == Fate::kHold) {
    life.held_locks.Hold(source, tokens);
    return {};
  }
  if (fate == Fate::kRenew) {
    for (const std::string& token : tokens) {
      Status renewed = client.RenewLock(source, token).status();
      if (IsGone(renewed)) {
        life.held_locks.Hold(source, tokens);
        return renewed;
      }
    }
  }
  std::vector<std::string> unsettled;
  Status status = client.Settle(source, tokens, SettlingFor(fate, dice), unsettled);
  life.held_locks.Hold(source, unsettled);
  return status;
}

}  // namespace

Status SettleByLot(Life& life, RecordedClient& client, const Source& source,
                   const std::vector<DeliveryRecord>& deliveries, Dice& dice) {
  Status status;
  for (const auto& [fate, tokens] : DrawFates(deliveries, dice)) {
    if (IsGone(status)) {
      life.held_locks.Hold(source, tokens);
    } else {
      status = Settle(life, client, source, fate, tokens, dice);
    }
  }
  return status;
}

}  // namespace wharf::crash
