// TransactionRecord: what is told of a transaction, while it is open and for a while after its end.
//
// A plain value; made by the engine's Transactions, stored in the table `outcomes`, shown by the
// doors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/send_outcome.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// Chosen by the client, or drawn by the broker.
using TransactionId = std::string;

// Not empty, short, and fit to be printed.
Status CheckTransactionId(const TransactionId& id);

// The values are on disk.
enum class TransactionState : std::uint8_t { kOpen = 1, kCommitted = 2, kRolledBack = 3 };

// What one operation of a committed transaction brought about.
struct OperationResult {
  // One for each message that it sent, in their order.
  std::vector<SendOutcome> sent{};
  // Until when the locks hold that it renewed.
  std::optional<Timestamp> locked_until{};
  friend bool operator==(const OperationResult&, const OperationResult&) = default;
};

struct TransactionRecord {
  TransactionId id{};
  TransactionState state = TransactionState::kOpen;
  Timestamp begun_at{};
  // Open: when it is rolled back by itself; kNever while its commit is under way. Else when it
  // ended.
  Timestamp ends_at{};
  // Its outcome is told until then (TXX-1).
  Timestamp forget_after = kNever;
  // Committed: one for each operation, in their order.
  std::vector<OperationResult> results{};
  // Rolled back, or can only be: why.
  std::string reason{};
  // Open: how many it has.
  std::size_t operations = 0;
  // Who began it (Asker); empty: nobody had to prove anything then.
  std::string owner{};
  friend bool operator==(const TransactionRecord&, const TransactionRecord&) = default;
};

}  // namespace wharf
