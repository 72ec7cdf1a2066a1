// SettleByLot: what a worker with single calls does with the messages that it locked: each gets a
// fate. Used by UnaryReceiver and DeferredReceiver.
#pragma once

#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

// An error that IsGone if the daemon died meanwhile; what was not settled is held.
Status SettleByLot(Life& life, RecordedClient& client, const Source& source,
                   const std::vector<DeliveryRecord>& deliveries, Dice& dice);

}  // namespace wharf::crash
