// Reads what a transaction needs before it can be planned, and how it ended.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <optional>

#include "broker/core/operations/transaction_plan.h"
#include "storage/store.h"

namespace wharf {

// Everything that is asked for is in the answer; messages without their bodies.
Result<TransactionFound> ReadForTransaction(const StoreView& view, const TransactionReads& reads);

// Nothing if no transaction with this id has ended; it may be one that is forgotten by now.
Result<std::optional<TransactionRecord>> ReadOutcome(const StoreView& view,
                                                     const TransactionId& id);

}  // namespace wharf
