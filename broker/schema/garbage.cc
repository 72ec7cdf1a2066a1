#include "broker/schema/garbage.h"

#include "broker/schema/records.h"

namespace wharf {

// What cannot be read is kept: its reader shall hear of it.
bool Garbage::IsForgotten(std::string_view record) const {
  const Result<DuplicateRow> row = DecodeDuplicate(record);
  return row.ok() && row->forget_after <= committed_.load(std::memory_order_relaxed);
}

bool Garbage::IsForgottenOutcome(std::string_view record) const {
  const Result<TransactionRecord> row = DecodeTransaction(TransactionId(), record);
  return row.ok() && row->forget_after <= committed_.load(std::memory_order_relaxed);
}

}  // namespace wharf
