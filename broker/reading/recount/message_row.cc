#include "broker/reading/recount/message_row.h"

#include <utility>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"

namespace wharf {

RowWalk MessagesOf(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
  return {view,
          Table::kMessages,
          MessageRange(shelf, from),
          from,
          [shelf](SequenceNumber number) { return MessageKey(shelf, number); },
          NumberOfMessageKey};
}

Result<MessageRow> ToMessageRow(SequenceNumber number,
                                const Result<std::optional<std::string>>& record) {
  if (!record.ok() && !record.status().is_damage()) return record.status();
  MessageRow row{.is_there = !record.ok() || record->has_value(), .is_guess = !record.ok()};
  if (!record.ok() || !*record) return row;
  Result<StoredMessage> message = DecodeMessage(number, **record);
  row.is_readable = message.ok();
  if (message.ok()) row.facts = std::move(message->facts);
  return row;
}

}  // namespace wharf
