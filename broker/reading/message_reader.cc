#include "broker/reading/message_reader.h"

#include <algorithm>

#include "broker/reading/careful_reader.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Beyond this, bodies in rows of their own are left: nobody can use them all in one answer.
constexpr std::int64_t kFoundBytesMax = 1024 * 1024;

// A message that was taken by its number has another standing, though it lies above the cursor.
Result<WindowBatch> ReadFreshRows(const StoreView& view, const Shelf& shelf,
                                  const ReadFresh& read) {
  FreshBatch batch{read.from, read.until, {}};
  std::size_t bytes = 0;
  StandingLookup standings(view, shelf, read.from);
  MessageCursor rows(view, IdOf(Table::kMessages), MessageRange(shelf, read.from, read.until),
                     Bodies::kLoad);
  for (; rows.valid(); rows.Next()) {
    if (batch.messages.size() == read.messages_max || bytes >= read.bytes_max) {
      batch.covered = batch.messages.back()->number.Next();
      break;
    }
    const Result<SequenceNumber> number = rows.number();
    if (!number.ok()) return number.status();
    const Result<StandingRow> standing = standings.Find(*number);
    if (!standing.ok()) return standing.status();
    if (standing->standing != Standing::kFresh) continue;
    Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    bytes += static_cast<std::size_t>((*message)->facts.held_size());
    batch.messages.push_back(*std::move(message));
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return WindowBatch(std::move(batch));
}

Result<WindowBatch> ReadReturnedRows(const StoreView& view, const Shelf& shelf,
                                     const ReadReturned& read) {
  ReturnedBatch batch{read.from, kNumberEnd, {}};
  const auto rows =
      view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, Standing::kReturned, read.from));
  for (; rows->valid(); rows->Next()) {
    if (batch.rows.size() == read.messages_max) {
      batch.covered = batch.rows.back().number.Next();
      break;
    }
    const auto number = NumberOfDeliveryKey(rows->key());
    if (!number) return DamagedKey();
    Result<ReturnedRow> row = DecodeReturned(*number, rows->value());
    if (!row.ok()) return row.status();
    batch.rows.push_back(*std::move(row));
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return WindowBatch(std::move(batch));
}

Result<WindowBatch> ReadContentRows(const StoreView& view, const Shelf& shelf,
                                    const ReadContent& read) {
  Result<ContentBatch> batch = ReadContentOf(view, shelf, read);
  if (!batch.ok()) return batch.status();
  return WindowBatch(*std::move(batch));
}

Result<WindowBatch> ReadRows(const StoreView& view, const Shelf& shelf, const WindowRead& read) {
  if (const auto* fresh = std::get_if<ReadFresh>(&read)) return ReadFreshRows(view, shelf, *fresh);
  if (const auto* returned = std::get_if<ReadReturned>(&read)) {
    return ReadReturnedRows(view, shelf, *returned);
  }
  return ReadContentRows(view, shelf, std::get<ReadContent>(read));
}

template <typename Batch>
Result<WindowBatch> ToWindowBatch(Result<Batch> batch) {
  if (!batch.ok()) return batch.status();
  return WindowBatch(*std::move(batch));
}

Result<WindowBatch> ReadRowsCarefully(const StoreView& view, const Shelf& shelf,
                                      const WindowRead& read) {
  if (const auto* fresh = std::get_if<ReadFresh>(&read)) {
    return ToWindowBatch(ReadFreshCarefully(view, shelf, *fresh));
  }
  if (const auto* returned = std::get_if<ReadReturned>(&read)) {
    return ToWindowBatch(ReadReturnedCarefully(view, shelf, *returned));
  }
  return ToWindowBatch(ReadContentCarefully(view, shelf, std::get<ReadContent>(read)));
}

}  // namespace

// What is not there any more belongs to an entity that was deleted meanwhile, or is missing.
Result<ContentBatch> ReadContentOf(const StoreView& view, const Shelf& shelf,
                                   const ReadContent& read) {
  Result<Contents> contents = ReadContents(view, shelf, read.numbers);
  if (contents.status().is_damage() || (contents.ok() && contents->size() < read.numbers.size())) {
    return ReadContentCarefully(view, shelf, read);
  }
  if (!contents.ok()) return contents.status();
  ContentBatch batch;
  batch.messages.reserve(read.numbers.size());
  for (auto& [number, message] : *contents) batch.messages.push_back(std::move(message));
  return batch;
}

Result<WindowBatch> ReadWindow(const StoreView& view, const Shelf& shelf, const WindowRead& read) {
  Result<WindowBatch> batch = ReadRows(view, shelf, read);
  return batch.status().is_damage() ? ReadRowsCarefully(view, shelf, read) : std::move(batch);
}

Result<Contents> ReadContents(const StoreView& view, const Shelf& shelf,
                              const std::vector<SequenceNumber>& numbers) {
  return ReadMessages(view, shelf, numbers, Bodies::kLoad);
}

Result<Contents> ReadEnvelopes(const StoreView& view, const Shelf& shelf,
                               const std::vector<SequenceNumber>& numbers) {
  return ReadMessages(view, shelf, numbers, Bodies::kLeave);
}

Result<ReadableContents> ReadReadable(const StoreView& view, const Shelf& shelf,
                                      const std::vector<SequenceNumber>& numbers) {
  Result<Contents> contents = ReadEnvelopes(view, shelf, numbers);
  if (!contents.ok() && !contents.status().is_damage()) return contents.status();
  ReadableContents read;
  if (contents.ok()) read.messages = *std::move(contents);
  for (const SequenceNumber number : numbers) {
    if (read.messages.contains(number)) continue;
    Result<Contents> one = ReadEnvelopes(view, shelf, {number});
    if (!one.ok() && !one.status().is_damage()) return one.status();
    if (one.ok()) read.messages.merge(*one);
    if (read.messages.contains(number)) continue;
    read.unreadable.emplace(number,
                            one.ok() ? "its record is not in the store" : one.status().message());
  }
  return read;
}

namespace {

// Loads the bodies of some; of one at least, and of no more than anyone can use in one answer.
Result<Contents> ReadWithBodies(const StoreView& view, const Shelf& shelf,
                                const std::vector<SequenceNumber>& numbers) {
  Contents contents;
  std::int64_t bytes = 0;
  for (const SequenceNumber number : numbers) {
    const Bodies bodies = bytes <= kFoundBytesMax ? Bodies::kLoad : Bodies::kLeave;
    Result<Contents> one = ReadMessages(view, shelf, {number}, bodies);
    if (!one.ok()) return one.status();
    for (auto& [each, message] : *one) {
      bytes += message->facts.held_size();
      contents.emplace(each, std::move(message));
    }
  }
  return contents;
}

Result<FoundMessages> FindRows(const StoreView& view, const Shelf& shelf,
                               const std::vector<SequenceNumber>& numbers, bool with_bodies) {
  FoundMessages found;
  Result<Contents> contents = with_bodies ? ReadWithBodies(view, shelf, numbers)
                                          : ReadMessages(view, shelf, numbers, Bodies::kLeave);
  if (!contents.ok()) return contents.status();
  std::vector<SequenceNumber> wanted = numbers;
  std::sort(wanted.begin(), wanted.end());
  StandingLookup standings(view, shelf, wanted.front());
  for (const SequenceNumber number : wanted) {
    auto& entry = found[number];
    const auto message = contents->find(number);
    if (message == contents->end()) continue;
    Result<StandingRow> row = standings.Find(number);
    if (!row.ok()) return row.status();
    entry = FoundMessage{row->standing, std::move(row->delivery), message->second,
                         row->available_at, std::move(row->unreadable)};
  }
  return found;
}

// One in quarantine may have no record at all.
Status FindWithoutRecord(const StoreView& view, const Shelf& shelf, FoundMessages& found) {
  for (auto& [number, entry] : found) {
    if (entry) continue;
    const auto row =
        view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, Standing::kQuarantined, number));
    if (!row.ok()) return row.status();
    if (!*row) continue;
    Result<std::optional<FoundMessage>> look = LookAt(view, shelf, number, Bodies::kLeave);
    if (!look.ok()) return look.status();
    entry = *std::move(look);
  }
  return {};
}

}  // namespace

Result<FoundMessages> ReadFound(const StoreView& view, const Shelf& shelf,
                                const std::vector<SequenceNumber>& numbers, bool with_bodies) {
  if (numbers.empty()) return FoundMessages();
  Result<FoundMessages> found = FindRows(view, shelf, numbers, with_bodies);
  Status failed = found.status();
  if (failed.ok()) failed = FindWithoutRecord(view, shelf, *found);
  if (failed.ok()) return found;
  if (!failed.is_damage()) return failed;
  return ReadFoundCarefully(view, shelf, numbers, with_bodies ? Bodies::kLoad : Bodies::kLeave);
}

namespace {

// Nothing if the id is new.
Result<std::optional<KnownId>> ReadKnownId(const StoreView& view, EntityId entity,
                                           const DuplicateId& id) {
  const auto record =
      view.Get(IdOf(Table::kDuplicates), DuplicateKey(entity, id.partition_key, id.message_id));
  if (!record.ok()) return record.status();
  if (!*record) return std::optional<KnownId>();
  Result<DuplicateRow> row = DecodeDuplicate(**record);
  if (!row.ok()) return row.status();
  if (row->is_scheduled) {
    // Its number is dead once it was activated or cancelled (DUP-8).
    const auto still = view.Get(IdOf(Table::kScheduled), ScheduledKey(entity, row->number));
    if (!still.ok() && !still.status().is_damage()) return still.status();
    if (still.ok() && !*still) row->number = SequenceNumber();
  }
  return std::optional(KnownId{row->number, row->forget_after});
}

}  // namespace

Result<KnownIds> ReadKnownIds(const StoreView& view, EntityId entity,
                              const std::vector<DuplicateId>& ids) {
  KnownIds known;
  for (const DuplicateId& id : ids) {
    const Result<std::optional<KnownId>> read = ReadKnownId(view, entity, id);
    if (!read.ok() && !read.status().is_damage()) return read.status();
    if (!read.ok()) {
      known.emplace(id, KnownId{{}, {}, read.status().message()});
    } else if (*read) {
      known.emplace(id, **read);
    }
  }
  return known;
}

Result<std::string> ReadBodyChunk(const StoreView& view, const BodyRef& body, std::uint32_t chunk) {
  Result<std::optional<std::string>> row = view.Get(IdOf(Table::kBodies), BodyKey(body, chunk));
  if (!row.ok()) return row.status();
  const std::uint64_t begin = std::uint64_t{chunk} * kBodyChunkBytes;
  const std::uint64_t size = std::min<std::uint64_t>(body.size - begin, kBodyChunkBytes);
  if (*row && (*row)->size() == size) return **std::move(row);
  return Status(ErrorCode::kMessageLockLost,
                "the message was settled, or its entity deleted, while its body was being "
                "delivered");
}

}  // namespace wharf
