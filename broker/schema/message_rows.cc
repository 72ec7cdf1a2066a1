#include "broker/schema/message_rows.h"

#include <algorithm>

#include <fmt/core.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Whether its body is in rows of its own, and may be held in memory.
bool IsInRows(const StoredMessage& message) {
  return message.facts.body_ref && !message.facts.has_large_body();
}

Status LoadBody(const StoreView& view, StoredMessage& message) {
  const BodyRef& ref = *message.facts.body_ref;
  std::string body;
  body.reserve(std::min<std::size_t>(ref.size, kBodyChunkBytes));
  const auto rows = view.Scan(IdOf(Table::kBodies), BodyRange(ref));
  for (; rows->valid(); rows->Next()) body.append(rows->value());
  WHARF_RETURN_IF_ERROR(rows->status());
  if (body.size() != ref.size) {
    return Status::Damage(fmt::format("the body of message {} has {} bytes instead of {}",
                                      message.number.value(), body.size(), ref.size));
  }
  message.message.body = std::move(body);
  return {};
}

}  // namespace

Status DamagedKey() { return {ErrorCode::kGeneralError, "a key of the messages is damaged"}; }

// Doubles its steps until it is out, and then halves the last one.
SequenceNumber PassDamage(StoreCursor& rows, const KeyOfNumber& key_of, SequenceNumber from,
                          SequenceNumber until) {
  std::uint64_t bad = from.value();
  std::uint64_t good = bad;
  for (std::uint64_t step = 1; good < until.value(); step *= 2) {
    good = step < until.value() - bad ? bad + step : until.value();
    rows.Seek(key_of(SequenceNumber(good)));
    if (!HasMetDamage(rows)) break;
    if (good < until.value()) bad = good;
  }
  while (good - bad > 1) {
    const std::uint64_t middle = bad + (good - bad) / 2;
    rows.Seek(key_of(SequenceNumber(middle)));
    (HasMetDamage(rows) ? bad : good) = middle;
  }
  rows.Seek(key_of(SequenceNumber(good)));
  return SequenceNumber(good);
}

Result<MessagePtr> ToMessage(const StoreView& view, SequenceNumber number, std::string_view record,
                             Bodies bodies) {
  Result<StoredMessage> decoded = DecodeMessage(number, record);
  if (!decoded.ok()) return decoded.status();
  auto message = std::make_shared<StoredMessage>(*std::move(decoded));
  if (IsInRows(*message) && bodies == Bodies::kLoad) {
    WHARF_RETURN_IF_ERROR(LoadBody(view, *message));
  }
  return MessagePtr(std::move(message));
}

MessagePtr WithoutBody(const MessagePtr& message) {
  if (message->message.body.empty()) return message;
  auto bare = std::make_shared<StoredMessage>(*message);
  bare->message.body = {};
  return bare;
}

Result<MessagePtr> WithBody(const StoreView& view, MessagePtr message) {
  if (!IsInRows(*message)) return message;
  auto whole = std::make_shared<StoredMessage>(*message);
  WHARF_RETURN_IF_ERROR(LoadBody(view, *whole));
  return MessagePtr(std::move(whole));
}

namespace {

Result<Contents> ReadRows(const StoreView& view, RowLookup rows,
                          const std::vector<SequenceNumber>& numbers, Bodies bodies) {
  Contents contents;
  for (const SequenceNumber number : numbers) {
    const StoreCursor* row = rows.Find(number);
    if (row == nullptr) continue;
    Result<MessagePtr> message = ToMessage(view, number, row->value(), bodies);
    if (!message.ok()) return message.status();
    contents.emplace(number, *std::move(message));
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return contents;
}

std::vector<SequenceNumber> Sorted(std::vector<SequenceNumber> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

Result<Contents> ReadMessages(const StoreView& view, const Shelf& shelf,
                              const std::vector<SequenceNumber>& numbers, Bodies bodies) {
  if (numbers.empty()) return Contents();
  const auto wanted = Sorted(numbers);
  RowLookup rows(
      view.Scan(IdOf(Table::kMessages), MessageRange(shelf, wanted.front(), wanted.back().Next())),
      [shelf](SequenceNumber number) { return MessageKey(shelf, number); });
  return ReadRows(view, std::move(rows), wanted, bodies);
}

Result<Contents> ReadScheduledRows(const StoreView& view, EntityId entity,
                                   const std::vector<SequenceNumber>& numbers) {
  if (numbers.empty()) return Contents();
  const auto wanted = Sorted(numbers);
  RowLookup rows(view.Scan(IdOf(Table::kScheduled),
                           ScheduledRange(entity, wanted.front(), wanted.back().Next())),
                 [entity](SequenceNumber number) { return ScheduledKey(entity, number); });
  return ReadRows(view, std::move(rows), wanted, Bodies::kLeave);
}

MessageCursor::MessageCursor(const StoreView& view, TableId table, const KeyRange& range,
                             Bodies bodies)
    : view_(view), table_(table), bodies_(bodies), rows_(view.Scan(table, range)) {}

Result<SequenceNumber> MessageCursor::number() const {
  const auto number = table_ == IdOf(Table::kScheduled) ? NumberOfScheduledKey(rows_->key())
                                                        : NumberOfMessageKey(rows_->key());
  if (!number) return DamagedKey();
  return *number;
}

Result<MessagePtr> MessageCursor::message() const {
  const Result<SequenceNumber> its_number = number();
  if (!its_number.ok()) return its_number.status();
  return ToMessage(view_, *its_number, rows_->value(), bodies_);
}

Result<StandingRow> DecodeStanding(Standing standing, SequenceNumber number,
                                   std::string_view record) {
  if (standing == Standing::kLocked) {
    Result<Lane::LockedRow> row = DecodeLocked(number, record);
    if (!row.ok()) return row.status();
    return StandingRow{
        standing, std::move(row->lock.delivery), kNever, {}, std::move(row->lock.facts)};
  }
  if (standing == Standing::kDelayed) {
    Result<DelayedRow> delayed = DecodeDelayed(number, record);
    if (!delayed.ok()) return delayed.status();
    return StandingRow{standing,
                       std::move(delayed->row.delivery),
                       delayed->available_at,
                       {},
                       std::move(delayed->row.facts)};
  }
  if (standing == Standing::kQuarantined) {
    Result<QuarantinedRow> found = DecodeQuarantined(number, record);
    if (!found.ok()) return found.status();
    return StandingRow{standing, std::move(found->row.delivery), kNever,
                       std::move(found->note.reason), std::move(found->row.facts)};
  }
  Result<ReturnedRow> row = DecodeReturned(number, record);
  if (!row.ok()) return row.status();
  return StandingRow{standing, std::move(row->delivery), kNever, {}, std::move(row->facts)};
}

RowLookup::RowLookup(std::unique_ptr<StoreCursor> rows, KeyOf key_of)
    : rows_(std::move(rows)), key_of_(std::move(key_of)) {}

const StoreCursor* RowLookup::Find(SequenceNumber number) {
  if (!rows_->valid()) return nullptr;
  const std::string wanted = key_of_(number);
  if (rows_->valid() && rows_->key() < wanted) rows_->Next();
  if (rows_->valid() && rows_->key() < wanted) rows_->Seek(wanted);
  return rows_->valid() && rows_->key() == wanted ? rows_.get() : nullptr;
}

StandingLookup::StandingLookup(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
  for (const Standing standing : kStandingsInRows) {
    RowLookup rows(
        view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, standing, from)),
        [shelf, standing](SequenceNumber number) { return DeliveryKey(shelf, standing, number); });
    walks_.push_back({standing, std::move(rows)});
  }
}

Result<StandingRow> StandingLookup::Find(SequenceNumber number) {
  for (Walk& walk : walks_) {
    if (number < walk.next) continue;
    const StoreCursor* row = walk.rows.Find(number);
    if (row != nullptr) return DecodeStanding(walk.standing, number, row->value());
    WHARF_RETURN_IF_ERROR(walk.rows.status());
    walk.next = NextOf(walk, number);
  }
  return StandingRow();
}

// A key that is damaged tells nothing.
SequenceNumber StandingLookup::NextOf(const Walk& walk, SequenceNumber asked) {
  const StoreCursor& rows = walk.rows.rows();
  if (!rows.valid()) return kNumberEnd;
  return NumberOfDeliveryKey(rows.key()).value_or(asked.Next());
}

}  // namespace wharf
