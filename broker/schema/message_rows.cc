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

constexpr Standing kStandings[] = {Standing::kLocked, Standing::kReturned, Standing::kDelayed,
                                   Standing::kDeferred};

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

}  // namespace

Status DamagedKey() { return {ErrorCode::kGeneralError, "a key of the messages is damaged"}; }

Result<MessagePtr> ToMessage(const StoreView& view, SequenceNumber number, std::string_view record,
                             Bodies bodies) {
  Result<StoredMessage> decoded = DecodeMessage(number, record);
  if (!decoded.ok()) return decoded.status();
  auto message = std::make_shared<StoredMessage>(*std::move(decoded));
  const bool is_in_rows = message->facts.body_ref && !message->facts.has_large_body();
  if (is_in_rows && bodies == Bodies::kLoad) WHARF_RETURN_IF_ERROR(LoadBody(view, *message));
  return MessagePtr(std::move(message));
}

Result<MessagePtr> GetMessage(const StoreView& view, const Shelf& shelf, SequenceNumber number,
                              Bodies bodies) {
  Result<std::optional<std::string>> record =
      view.Get(IdOf(Table::kMessages), MessageKey(shelf, number));
  if (!record.ok()) return record.status();
  if (!*record) return MessagePtr();
  return ToMessage(view, number, **record, bodies);
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
    return StandingRow{standing, std::move(row->lock.delivery), kNever};
  }
  if (standing == Standing::kDelayed) {
    Result<DelayedRow> delayed = DecodeDelayed(number, record);
    if (!delayed.ok()) return delayed.status();
    return StandingRow{standing, std::move(delayed->row.delivery), delayed->available_at};
  }
  Result<ReturnedRow> row = DecodeReturned(number, record);
  if (!row.ok()) return row.status();
  return StandingRow{standing, std::move(row->delivery), kNever};
}

StandingLookup::StandingLookup(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
  for (const Standing standing : kStandings) {
    walks_.push_back(
        {standing, view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, standing, from))});
  }
}

Result<StandingRow> StandingLookup::Find(SequenceNumber number) {
  for (const Walk& walk : walks_) {
    StoreCursor& rows = *walk.rows;
    while (rows.valid() && NumberOfDeliveryKey(rows.key()) < number) rows.Next();
    WHARF_RETURN_IF_ERROR(rows.status());
    if (rows.valid() && NumberOfDeliveryKey(rows.key()) == number) {
      return DecodeStanding(walk.standing, number, rows.value());
    }
  }
  return StandingRow();
}

}  // namespace wharf
