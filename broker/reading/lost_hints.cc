#include "broker/reading/lost_hints.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "broker/schema/bytes.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Where the standing is in a key of `delivery`.
constexpr std::size_t kStandingAt = 9;

KeyRange BucketRange(Bucket bucket) {
  constexpr std::uint64_t kLast = (std::uint64_t{1} << 48) - 1;
  return {EntityRange(EntityId(bucket, 0)).begin, EntityRange(EntityId(bucket, kLast)).end};
}

class LostHints {
 public:
  LostHints(const StoreView& view, Bucket bucket, Timestamp from, Timestamp until)
      : view_(view), range_(BucketRange(bucket)), from_(from), until_(until) {}

  Result<std::vector<DueHint>> Find() {
    WHARF_RETURN_IF_ERROR(FindScheduled());
    WHARF_RETURN_IF_ERROR(FindDelayed());
    std::sort(hints_.begin(), hints_.end());
    return std::move(hints_);
  }

 private:
  bool IsMeant(Timestamp time) const { return from_ <= time && time < until_; }

  // Entity by entity.
  Status FindScheduled() {
    const auto rows = view_.Scan(IdOf(Table::kScheduledTimes), range_);
    while (rows->valid()) {
      const EntityId entity(ByteReader(rows->key()).Fixed64());
      const auto at = ScheduledTimeOfKey(rows->key());
      if (!at) return {ErrorCode::kGeneralError, "a key of the scheduled times is damaged"};
      if (at->time < from_) {
        rows->Seek(ScheduledTimeKey(entity, {from_, SequenceNumber()}));
      } else if (at->time >= until_) {
        rows->Seek(EntityRange(entity).end);
      } else {
        hints_.push_back({at->time, DueKind::kActivate, {entity, LaneKind::kMain}, at->number});
        rows->Next();
      }
    }
    return rows->status().is_damage() ? Status::Ok() : rows->status();
  }

  // Shelf by shelf.
  Status FindDelayed() {
    const auto rows = view_.Scan(IdOf(Table::kDelivery), range_);
    while (rows->valid()) {
      const auto number = NumberOfDeliveryKey(rows->key());
      const auto shelf = ShelfOf(rows->key());
      if (!number || !shelf)
        return {ErrorCode::kGeneralError, "a key of the deliveries is damaged"};
      const auto standing = static_cast<Standing>(rows->key()[kStandingAt]);
      if (standing < Standing::kDelayed) {
        rows->Seek(DeliveryKey(*shelf, Standing::kDelayed, SequenceNumber()));
      } else if (standing > Standing::kDelayed) {
        rows->Seek(ShelfRange(*shelf).end);
      } else {
        const Result<DelayedRow> row = DecodeDelayed(*number, rows->value());
        if (row.ok() && IsMeant(row->available_at)) {
          hints_.push_back({row->available_at, DueKind::kEndDelay, *shelf, *number});
        }
        rows->Next();
      }
    }
    return rows->status().is_damage() ? Status::Ok() : rows->status();
  }

  // As in a key of `messages`, but for the standing.
  static std::optional<Shelf> ShelfOf(std::string_view key) {
    return ShelfOfMessageKey(std::string(key.substr(0, kStandingAt)) +
                             std::string(key.substr(kStandingAt + 1)));
  }

  const StoreView& view_;
  const KeyRange range_;
  const Timestamp from_;
  const Timestamp until_;
  std::vector<DueHint> hints_;
};

}  // namespace

Result<std::vector<DueHint>> FindLostHints(const StoreView& view, Bucket bucket, Timestamp from,
                                           Timestamp until) {
  return LostHints(view, bucket, from, until).Find();
}

}  // namespace wharf
