#include "broker/reading/scheduled_reader.h"

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Rows that one page looks at: those of purged messages stay for a while.
constexpr std::size_t kScheduledRowsMax = 4096;

Result<MessagePtr> GetScheduled(const StoreView& view, EntityId entity, SequenceNumber number) {
  Result<std::optional<std::string>> record =
      view.Get(IdOf(Table::kScheduled), ScheduledKey(entity, number));
  if (!record.ok()) return record.status();
  if (!*record) return MessagePtr();
  return ToMessage(view, number, **record, Bodies::kLoad);
}

}  // namespace

Result<Contents> ReadScheduled(const StoreView& view, EntityId entity,
                               const std::vector<SequenceNumber>& numbers) {
  return ReadScheduledRows(view, entity, numbers);
}

Result<ScheduledPage> ListScheduled(const StoreView& view, EntityId entity,
                                    const ScheduledTime& from, SequenceNumber floor,
                                    std::size_t messages_max, std::size_t bytes_max) {
  ScheduledPage page;
  std::size_t bytes = 0;
  const auto rows = view.Scan(IdOf(Table::kScheduledTimes), ScheduledTimeRange(entity, from));
  for (std::size_t count = 0; rows->valid(); rows->Next(), ++count) {
    const auto at = ScheduledTimeOfKey(rows->key());
    if (!at) return DamagedKey();
    if (count == kScheduledRowsMax || page.messages.size() == messages_max || bytes >= bytes_max) {
      page.next = at;
      break;
    }
    if (at->number < floor) continue;
    Result<MessagePtr> message = GetScheduled(view, entity, at->number);
    if (!message.ok()) return message.status();
    if (!*message) continue;
    bytes += static_cast<std::size_t>((*message)->facts.held_size());
    page.messages.push_back(*std::move(message));
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return page;
}

}  // namespace wharf
