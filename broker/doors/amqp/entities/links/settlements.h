// Settlements: what a client says of a delivery as the broker's settlement (doors.md, section 7),
// and what it is answered. Pure functions; used by the links of this room.
#pragma once

#include <optional>

#include "broker/core/queue/settlement.h"
#include "broker/doors/amqp/types/composites.h"
#include "storage/base/ids.h"
#include "storage/base/status.h"

namespace wharf::amqp {

// Nothing: it ends no lock. Of a settlement in a transaction what it is to be there.
Result<std::optional<Settlement>> SettlementOf(const std::optional<DeliveryState>& state);

// The state of the answer: what was said, without what clients would read as a failure.
DeliveryState AnswerTo(const DeliveryState& state);

// The 16 bytes of a lock token in the order in which .NET reads a Guid.
Binary TagOf(const LockToken& token);

}  // namespace wharf::amqp
