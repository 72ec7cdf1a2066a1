#include "broker/schema/due_reader.h"

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/reader.h"
#include "broker/schema/scheduled_reader.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

Result<std::optional<FoundMessage>> FindScheduled(const StoreView& view, const DueHint& hint) {
  Result<Contents> scheduled = ReadScheduled(view, hint.lane.entity, {hint.number});
  if (!scheduled.ok()) return scheduled.status();
  const auto message = scheduled->find(hint.number);
  if (message == scheduled->end()) return std::optional<FoundMessage>();
  FoundMessage found;
  found.message = std::move(message->second);
  return std::optional(std::move(found));
}

Result<std::optional<FoundMessage>> Find(const StoreView& view, const DueHint& hint) {
  if (hint.kind == DueKind::kActivate) return FindScheduled(view, hint);
  Result<FoundMessages> found = ReadFound(view, hint.lane, {hint.number}, false);
  if (!found.ok()) return found.status();
  return std::move(found->at(hint.number));
}

}  // namespace

Result<DueBatch> ReadDue(const StoreView& view, const DueHint& from, Timestamp now,
                         Timestamp horizon, std::size_t messages_max, std::size_t bytes_max) {
  DueBatch batch;
  std::size_t bytes = 0;
  const auto rows = view.Scan(IdOf(Table::kDue), DueRange(from, horizon));
  for (; rows->valid(); rows->Next()) {
    const auto hint = HintOfDueKey(rows->key());
    if (!hint) return DamagedKey();
    if (hint->time > now || batch.messages.size() == messages_max || bytes >= bytes_max) {
      batch.next = hint->time;
      break;
    }
    Result<std::optional<FoundMessage>> found = Find(view, *hint);
    if (!found.ok()) return found.status();
    if (*found) bytes += static_cast<std::size_t>((*found)->message->facts.held_size());
    batch.messages.push_back({*hint, *std::move(found)});
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return batch;
}

}  // namespace wharf
