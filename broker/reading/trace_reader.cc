#include "broker/reading/trace_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "broker/reading/careful_reader.h"
#include "broker/reading/event_follower.h"
#include "broker/reading/peek_reader.h"
#include "broker/schema/key_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Of one page, about.
constexpr std::size_t kEventBytesMax = std::size_t{4} << 20;
constexpr std::size_t kEventsMax = 256;

// "sys.MessageId = 'it''s'".
std::string FilterFor(const std::string& message_id) {
  std::string text = "sys.MessageId = '";
  for (const char each : message_id) {
    text += each;
    if (each == '\'') text += '\'';
  }
  return text + "'";
}

class TraceSearch {
 public:
  TraceSearch(const StoreView& view, const TraceRange& range)
      : view_(view),
        range_(range),
        id_(std::get_if<std::string>(&range.wanted)),
        number_(std::get_if<SequenceNumber>(&range.wanted)) {
    findings_.part = range.part;
    findings_.from = range.from;
    findings_.followed = range.followed;
  }

  Result<TraceFindings> Run() {
    if (id_ != nullptr) {
      auto filter = PageCondition::FilterOf(FilterFor(*id_));
      if (!filter.ok()) return filter.status();
      condition_.filter = *std::move(filter);
    }
    while (findings_.done < range_.entities.size() && !is_full()) {
      WHARF_RETURN_IF_ERROR(LookInto(range_.entities[findings_.done]));
    }
    return std::move(findings_);
  }

 private:
  bool is_full() const {
    return findings_.looked_at >= range_.rows_max || findings_.places.size() >= range_.found_max ||
           found_bytes_ >= range_.found_bytes_max || event_bytes_ >= kEventBytesMax ||
           findings_.events.size() >= kEventsMax;
  }
  std::size_t rows_left() const { return range_.rows_max - findings_.looked_at; }

  // The part that is next; then the one behind it is.
  Status LookInto(const TracedEntity& entity) {
    switch (findings_.part) {
      case EntityPart::kMain:
        if (findings_.from == SequenceNumber()) WHARF_RETURN_IF_ERROR(FindRemembered(entity));
        return LookIntoLane(entity.main, EntityPart::kScheduled);
      case EntityPart::kScheduled:
        return LookIntoScheduled(entity);
      case EntityPart::kDeadLetter:
        return LookIntoLane(entity.dead_letter, EntityPart::kEvents);
      case EntityPart::kEvents:
        return entity.event_log ? ReadEvents(entity) : GoToNext();
      case EntityPart::kEnd:
        break;
    }
    return GoToNext();
  }

  Status GoToNext() {
    ++findings_.done;
    findings_.followed.clear();
    GoTo(EntityPart::kMain, SequenceNumber());
    return {};
  }

  // What was found by its id is followed by its number from then on.
  Status ReadEvents(const TracedEntity& entity) {
    EventFollower follower(range_.wanted, std::move(findings_.followed));
    KeyWalk rows(view_, Table::kEvents, EventRange(entity.main.entity, findings_.from.value()));
    Result<bool> has_row = rows.HasNext();
    for (; has_row.ok() && *has_row && !is_full(); has_row = rows.HasNext()) {
      event_bytes_ += rows.value().size();
      for (FollowedEvent& each :
           follower.Read(rows.value(), range_.now, range_.now - *entity.event_log)) {
        findings_.events.push_back({findings_.done, each.lane, std::move(each.event)});
      }
      rows.Next();
    }
    if (!has_row.ok()) return has_row.status();
    findings_.has_untold = findings_.has_untold || follower.has_untold();
    findings_.damaged_places +=
        follower.damaged_rows() + static_cast<std::size_t>(rows.damaged_places());
    const auto next = *has_row ? PositionOfEventKey(rows.key()) : std::nullopt;
    if (!next) return GoToNext();
    findings_.followed = follower.Take();
    GoTo(EntityPart::kEvents, SequenceNumber(*next));
    return {};
  }

  void GoTo(EntityPart part, SequenceNumber from) {
    findings_.part = part;
    findings_.from = from;
  }

  // Ids of messages that have a partition key, or a session of a partitioned entity, are kept under
  // that, which is not known here.
  Status FindRemembered(const TracedEntity& entity) {
    if (id_ == nullptr || !entity.remembers_ids) return {};
    const auto record =
        view_.Get(IdOf(Table::kDuplicates), DuplicateKey(entity.main.entity, {}, *id_));
    if (record.status().is_damage()) return {};
    if (!record.ok()) return record.status();
    if (!*record) return {};
    const Result<DuplicateRow> row = DecodeDuplicate(**record);
    if (row.ok()) {
      findings_.remembered.push_back({findings_.done, row->number, row->forget_after});
    }
    return {};
  }

  Status LookIntoLane(const Shelf& shelf, EntityPart then) {
    return number_ == nullptr ? WalkLane(shelf, then) : LookUpInLane(shelf, then);
  }

  Status WalkLane(const Shelf& shelf, EntityPart then) {
    Result<ScanPage> page = ScanLane(
        view_, {shelf, findings_.from, kNumberEnd, rows_left(), condition_,
                range_.found_max - findings_.places.size(), range_.found_bytes_max - found_bytes_});
    if (!page.ok()) return page.status();
    findings_.looked_at += page->looked_at;
    for (FoundMessage& found : page->messages) Add(shelf, std::move(found));
    page->next ? GoTo(findings_.part, *page->next) : GoTo(then, SequenceNumber());
    return {};
  }

  Status LookUpInLane(const Shelf& shelf, EntityPart then) {
    auto found = LookAt(view_, shelf, *number_, Bodies::kLeave);
    if (!found.ok()) return found.status();
    if (*found) {
      ++findings_.looked_at;
      Add(shelf, **std::move(found));
    }
    GoTo(then, SequenceNumber());
    return {};
  }

  Status LookIntoScheduled(const TracedEntity& entity) {
    return number_ == nullptr ? WalkScheduled(entity) : LookUpScheduled(entity);
  }

  // Row by row: that it may pass what cannot be read.
  Status WalkScheduled(const TracedEntity& entity) {
    NumberWalk walk = NumberWalk::OfScheduled(
        view_, entity.main.entity, std::max(findings_.from, entity.scheduled_floor), kNumberEnd);
    while (const std::optional<SequenceNumber> number = walk.Next()) {
      if (is_full()) {
        GoTo(EntityPart::kScheduled, *number);
        return {};
      }
      ++findings_.looked_at;
      WHARF_RETURN_IF_ERROR(TakeScheduled(entity, *number));
    }
    GoTo(EntityPart::kDeadLetter, SequenceNumber());
    return walk.status();
  }

  Status LookUpScheduled(const TracedEntity& entity) {
    GoTo(EntityPart::kDeadLetter, SequenceNumber());
    if (*number_ < entity.scheduled_floor) return {};
    return TakeScheduled(entity, *number_);
  }

  // If it is the one that is looked for.
  Status TakeScheduled(const TracedEntity& entity, SequenceNumber number) {
    const Result<Contents> read = ReadScheduledRows(view_, entity.main.entity, {number});
    if (read.status().is_damage()) return {};
    if (!read.ok()) return read.status();
    if (!Has(*read, number)) return {};
    const MessagePtr& message = read->at(number);
    if (id_ != nullptr && message->message.message_id != *id_) return {};
    Follow(entity, number);
    found_bytes_ += ToldBytesOf(*message, {});
    PeekedMessage peeked{.message = message, .is_scheduled = true};
    findings_.places.push_back({findings_.done, LaneKind::kMain, std::move(peeked)});
    return {};
  }

  // Of more than a few the story of each is told under its number.
  void Follow(const TracedEntity& entity, SequenceNumber number) {
    if (!entity.event_log) return;
    if (findings_.followed.size() == EventFollower::kFollowedMax) {
      findings_.has_untold = true;
    } else {
      findings_.followed.push_back({number});
    }
  }

  void Add(const Shelf& shelf, FoundMessage found) {
    const SequenceNumber number = found.message->number;
    Follow(range_.entities[findings_.done], number);
    found_bytes_ += ToldBytesOf(*found.message, found.delivery);
    FoundPlace place{
        findings_.done, shelf.kind,
        PeekedMessage{std::move(found.message), std::move(found.delivery), found.standing,
                      found.available_at, /*is_scheduled=*/false, std::move(found.unreadable)}};
    if (found.standing == Standing::kLocked) place.token = TokenOf(shelf, number);
    findings_.places.push_back(std::move(place));
  }

  // Zero if it cannot be read.
  LockToken TokenOf(const Shelf& shelf, SequenceNumber number) const {
    const auto record =
        view_.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, Standing::kLocked, number));
    if (!record.ok() || !*record) return {};
    const Result<Lane::LockedRow> row = DecodeLocked(number, **record);
    return row.ok() ? row->token : LockToken();
  }

  const StoreView& view_;
  const TraceRange& range_;
  const std::string* const id_;
  const SequenceNumber* const number_;
  PageCondition condition_;
  TraceFindings findings_;
  // Of its places.
  std::size_t found_bytes_ = 0;
  // Of rows of events that were read.
  std::size_t event_bytes_ = 0;
};

}  // namespace

Result<TraceFindings> ReadTrace(const StoreView& view, TraceRange range) {
  return TraceSearch(view, range).Run();
}

}  // namespace wharf
