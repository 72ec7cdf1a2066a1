#include "broker/schema/reader.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

constexpr SequenceNumber kEnd{std::numeric_limits<std::uint64_t>::max()};

Status DamagedKey() { return {ErrorCode::kGeneralError, "a key of the messages is damaged"}; }

Status LoadBody(const StoreView& view, StoredMessage& message) {
  const BodyRef& ref = *message.facts.body_ref;
  std::string body;
  body.reserve(std::min<std::size_t>(ref.size, kBodyChunkBytes));
  const auto rows = view.Scan(IdOf(Table::kBodies), BodyRange(ref));
  for (; rows->valid(); rows->Next()) body.append(rows->value());
  WHARF_RETURN_IF_ERROR(rows->status());
  if (body.size() != ref.size) {
    return {ErrorCode::kGeneralError,
            fmt::format("the body of message {} has {} bytes instead of {}", message.number.value(),
                        body.size(), ref.size)};
  }
  message.message.body = std::move(body);
  return {};
}

Result<MessagePtr> ToMessage(const StoreView& view, SequenceNumber number,
                             std::string_view record) {
  Result<StoredMessage> decoded = DecodeMessage(number, record);
  if (!decoded.ok()) return decoded.status();
  auto message = std::make_shared<StoredMessage>(*std::move(decoded));
  const bool is_in_rows = message->facts.body_ref && !message->facts.has_large_body();
  if (is_in_rows) WHARF_RETURN_IF_ERROR(LoadBody(view, *message));
  return MessagePtr(std::move(message));
}

// Walks the messages of a range.
class MessageCursor {
 public:
  MessageCursor(const StoreView& view, const KeyRange& range)
      : view_(view), rows_(view.Scan(IdOf(Table::kMessages), range)) {}

  bool valid() const { return rows_->valid(); }
  void Next() { rows_->Next(); }
  Status status() const { return rows_->status(); }
  std::optional<SequenceNumber> number() const { return NumberOfMessageKey(rows_->key()); }
  Result<MessagePtr> message() const {
    const auto key_number = number();
    if (!key_number) return DamagedKey();
    return ToMessage(view_, *key_number, rows_->value());
  }

 private:
  const StoreView& view_;
  std::unique_ptr<StoreCursor> rows_;
};

Result<WindowBatch> ReadFreshRows(const StoreView& view, LaneId lane, const ReadFresh& read) {
  FreshBatch batch{read.from, read.until, {}};
  std::size_t bytes = 0;
  MessageCursor rows(view, MessageRange(lane, read.from, read.until));
  for (; rows.valid(); rows.Next()) {
    if (batch.messages.size() == read.messages_max || bytes >= read.bytes_max) {
      batch.covered = batch.messages.back()->number.Next();
      break;
    }
    Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    bytes += static_cast<std::size_t>((*message)->facts.held_size());
    batch.messages.push_back(*std::move(message));
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return WindowBatch(std::move(batch));
}

Result<WindowBatch> ReadReturnedRows(const StoreView& view, LaneId lane, const ReadReturned& read) {
  ReturnedBatch batch{read.from, kEnd, {}};
  const auto rows =
      view.Scan(IdOf(Table::kDelivery), DeliveryRange(lane, DeliveryState::kReturned, read.from));
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

// What is not there any more belongs to an entity that was deleted meanwhile.
Result<WindowBatch> ReadContentRows(const StoreView& view, LaneId lane, const ReadContent& read) {
  Result<Contents> contents = ReadContents(view, lane, read.numbers);
  if (!contents.ok()) return contents.status();
  ContentBatch batch;
  batch.messages.reserve(read.numbers.size());
  for (auto& [number, message] : *contents) batch.messages.push_back(std::move(message));
  return WindowBatch(std::move(batch));
}

// The rows of one state of a lane, asked in ascending order of numbers.
class DeliveryLookup {
 public:
  DeliveryLookup(const StoreView& view, LaneId lane, DeliveryState state, SequenceNumber from)
      : rows_(view.Scan(IdOf(Table::kDelivery), DeliveryRange(lane, state, from))), state_(state) {}

  // Null if `number` has no row in this state.
  Result<std::optional<Delivery>> Find(SequenceNumber number) {
    while (rows_->valid() && NumberOfDeliveryKey(rows_->key()) < number) rows_->Next();
    WHARF_RETURN_IF_ERROR(rows_->status());
    if (!rows_->valid() || NumberOfDeliveryKey(rows_->key()) != number) {
      return std::optional<Delivery>();
    }
    return Decode(number);
  }

 private:
  Result<std::optional<Delivery>> Decode(SequenceNumber number) {
    if (state_ == DeliveryState::kLocked) {
      Result<Lane::LockedRow> row = DecodeLocked(number, rows_->value());
      if (!row.ok()) return row.status();
      return std::optional(row->lock.delivery);
    }
    Result<ReturnedRow> row = DecodeReturned(number, rows_->value());
    if (!row.ok()) return row.status();
    return std::optional(row->delivery);
  }

  std::unique_ptr<StoreCursor> rows_;
  const DeliveryState state_;
};

}  // namespace

Result<WindowBatch> ReadWindow(const StoreView& view, LaneId lane, const WindowRead& read) {
  if (const auto* fresh = std::get_if<ReadFresh>(&read)) return ReadFreshRows(view, lane, *fresh);
  if (const auto* returned = std::get_if<ReadReturned>(&read)) {
    return ReadReturnedRows(view, lane, *returned);
  }
  return ReadContentRows(view, lane, std::get<ReadContent>(read));
}

Result<Contents> ReadContents(const StoreView& view, LaneId lane,
                              const std::vector<SequenceNumber>& numbers) {
  Contents contents;
  for (const SequenceNumber number : numbers) {
    Result<std::optional<std::string>> record =
        view.Get(IdOf(Table::kMessages), MessageKey(lane, number));
    if (!record.ok()) return record.status();
    if (!*record) continue;
    Result<MessagePtr> message = ToMessage(view, number, **record);
    if (!message.ok()) return message.status();
    contents.emplace(number, *std::move(message));
  }
  return contents;
}

Result<PeekPage> ReadPeek(const StoreView& view, LaneId lane, SequenceNumber from,
                          std::size_t messages_max, std::size_t bytes_max) {
  PeekPage page;
  std::size_t bytes = 0;
  DeliveryLookup locked(view, lane, DeliveryState::kLocked, from);
  DeliveryLookup returned(view, lane, DeliveryState::kReturned, from);
  MessageCursor rows(view, MessageRange(lane, from));
  for (; rows.valid(); rows.Next()) {
    Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    const SequenceNumber number = (*message)->number;
    bytes += static_cast<std::size_t>((*message)->facts.held_size());
    const bool is_full =
        page.messages.size() == messages_max || (!page.messages.empty() && bytes > bytes_max);
    if (is_full) {
      page.next = number;
      break;
    }
    Result<std::optional<Delivery>> delivery = locked.Find(number);
    if (delivery.ok() && !*delivery) delivery = returned.Find(number);
    if (!delivery.ok()) return delivery.status();
    page.messages.push_back({*std::move(message), delivery->value_or(Delivery())});
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return page;
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

Result<ReclaimStep> ReadReclaim(const StoreView& view, EntityId entity, std::size_t messages_max) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const LaneId lane{entity, kind};
    EntityReclaimed step{lane, SequenceNumber(), {}};
    std::size_t count = 0;
    const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(lane, SequenceNumber()));
    for (; rows->valid() && count < messages_max; rows->Next(), ++count) {
      const auto number = NumberOfMessageKey(rows->key());
      if (!number) return DamagedKey();
      Result<StoredMessage> message = DecodeMessage(*number, rows->value());
      if (!message.ok()) return message.status();
      step.through = *number;
      if (message->facts.body_ref) step.bodies.push_back(*message->facts.body_ref);
    }
    WHARF_RETURN_IF_ERROR(rows->status());
    if (count > 0) return ReclaimStep{std::move(step)};
  }
  return ReclaimStep{};
}

}  // namespace wharf
