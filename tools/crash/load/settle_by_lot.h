// SettleByLot: what a worker with single calls does with the messages that it locked: each gets a
// fate. Used by UnaryReceiver and DeferredReceiver.
#pragma once

#include <vector>

#include "tools/crash/load/worker.h"
#include "tools/crash/recorded_client.h"

namespace wharf::crash {

// An error that IsGone if the daemon died meanwhile; what was not settled is held.
Status SettleByLot(Life& life, RecordedClient& client, const Source& source,
                   const std::vector<DeliveryRecord>& deliveries, Dice& dice);

}  // namespace wharf::crash
