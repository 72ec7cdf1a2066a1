#include "tools/crash/load/receiving/wisp_receiver.h"

#include <string>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/receiving/settle_by_lot.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(20);
constexpr std::uint64_t kDeferredPercent = 20;

// Before their time is over, so that they stay when it is.
Status DeferAll(Life& life, RecordedClient& client, const Source& source,
                const std::vector<DeliveryRecord>& deliveries) {
  if (deliveries.empty()) return {};
  std::vector<std::string> tokens;
  for (const DeliveryRecord& delivery : deliveries) tokens.push_back(delivery.token);
  std::vector<std::string> unsettled;
  Status status = client.Settle(source, tokens, {.verb = Verb::kDefer}, unsettled);
  life.held_locks.Hold(source, unsettled);
  return status;
}

}  // namespace

void WispReceiver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 10))) {
    const Source source{.queue = life.queues.wisps,
                        .lane = dice.Chance(10) ? Lane::kDeadLetter : Lane::kMain};
    const auto deliveries =
        client.Receive(source, Mode::kPeekLock, static_cast<std::uint32_t>(dice.Between(1, 12)),
                       source.lane == Lane::kMain ? kPatience : Duration(0));
    status = deliveries.status();
    if (!deliveries.ok()) continue;
    if (source.lane == Lane::kMain && dice.Chance(kDeferredPercent)) {
      status = DeferAll(life, client, source, *deliveries);
      continue;
    }
    // Meanwhile those around them may expire.
    if (!life.progress.WaitForMore(dice.Between(1, 40))) return;
    status = SettleByLot(life, client, source, *deliveries, dice);
  }
}

}  // namespace wharf::crash
