#include "broker/reading/transaction_reader.h"

#include "broker/reading/message_reader.h"
#include "broker/reading/session_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

Status ReadMoved(const StoreView& view, const TransactionReads& reads, TransactionFound& found) {
  for (const auto& [shelf, numbers] : reads.contents) {
    Result<Contents> read = ReadEnvelopes(view, shelf, numbers);
    if (!read.ok()) return read.status();
    // What was asked for once is not asked for again: null, if it is not there.
    for (const SequenceNumber number : numbers) found.contents[shelf][number] = (*read)[number];
  }
  return {};
}

Status ReadIds(const StoreView& view, const TransactionReads& reads, TransactionFound& found) {
  for (const auto& [entity, ids] : reads.ids) {
    Result<KnownIds> known = ReadKnownIds(view, entity, ids);
    if (!known.ok()) return known.status();
    found.ids[entity] = *std::move(known);
  }
  return {};
}

Status ReadStates(const StoreView& view, const TransactionReads& reads, TransactionFound& found) {
  for (const auto& [entity, sessions] : reads.states) {
    for (const std::string& session : sessions) {
      const Result<std::int64_t> bytes = ReadStateBytes(view, entity, session);
      if (!bytes.ok()) return bytes.status();
      found.state_bytes[{entity, session}] = *bytes;
    }
  }
  return {};
}

}  // namespace

Result<TransactionFound> ReadForTransaction(const StoreView& view, const TransactionReads& reads) {
  TransactionFound found;
  for (const auto& read : {ReadMoved, ReadIds, ReadStates}) {
    if (Status failed = read(view, reads, found); !failed.ok()) return failed;
  }
  return found;
}

Result<std::optional<TransactionRecord>> ReadOutcome(const StoreView& view,
                                                     const TransactionId& id) {
  const auto record = view.Get(IdOf(Table::kOutcomes), OutcomeKey(id, false));
  if (!record.ok()) return record.status();
  if (!*record) return std::optional<TransactionRecord>();
  Result<TransactionRecord> decoded = DecodeTransaction(id, **record);
  if (!decoded.ok()) return decoded.status();
  return std::optional(*std::move(decoded));
}

}  // namespace wharf
