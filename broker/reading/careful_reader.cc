#include "broker/reading/careful_reader.h"

#include <algorithm>
#include <utility>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// What one read looks at; it goes on in the next.
constexpr std::size_t kLooksMax = 4096;

constexpr const char* kMissing = "its record is not in the store";

// How a message stands, as far as that can be read.
struct Stand {
  std::optional<StandingRow> row;
  // Where it may stand, because a row there could not be read. Of those that stand nowhere in the
  // block one in a hundred is taken for one that does.
  std::vector<Standing> lost;
  std::string reason;
};

Result<Stand> StandOf(const StoreView& view, const Shelf& shelf, SequenceNumber number) {
  Stand stand;
  for (const Standing standing : kStandingsInRows) {
    const auto record = view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, standing, number));
    Status failed = record.status();
    if (failed.ok() && *record) {
      Result<StandingRow> row = DecodeStanding(standing, number, **record);
      failed = row.status();
      if (row.ok()) {
        stand.row = *std::move(row);
        return stand;
      }
    }
    if (failed.ok()) continue;
    if (!failed.is_damage()) return failed;
    stand.lost.push_back(standing);
    stand.reason = failed.message();
  }
  return stand;
}

MessagePtr StubOf(SequenceNumber number, const MessageFacts& facts) {
  auto stub = std::make_shared<StoredMessage>();
  stub->number = number;
  stub->facts = facts;
  return stub;
}

// The message, or a stub with the reason.
Status ReadInto(const StoreView& view, const std::string& record, Bodies bodies,
                FoundMessage& found) {
  const SequenceNumber number = found.message->number;
  Result<MessagePtr> message = ToMessage(view, number, record, bodies);
  if (!message.ok() && bodies == Bodies::kLoad) {
    found.unreadable = message.status().message();
    message = ToMessage(view, number, record, Bodies::kLeave);
  }
  if (message.ok()) {
    found.message = *std::move(message);
    return {};
  }
  found.unreadable = message.status().message();
  return message.status().is_damage() ? Status::Ok() : message.status();
}

bool Waits(Standing standing) {
  return standing == Standing::kFresh || standing == Standing::kReturned ||
         standing == Standing::kDelayed;
}

struct Look {
  FoundMessage found;
  // The row that says how it stands cannot be read; as in Stand.
  std::vector<Standing> lost;
  // Whether the message itself can be, if so.
  bool has_message = false;

  bool is_lost() const { return !lost.empty(); }
  bool MayStand(Standing standing) const {
    return std::find(lost.begin(), lost.end(), standing) != lost.end();
  }
};

// Always a guess: most likely it was never delivered. If it may be delayed it is told so, for its
// hint alone knows better.
void NoteLost(Stand stand, Look& look) {
  look.lost = std::move(stand.lost);
  look.has_message = look.found.is_readable();
  look.found.standing = look.MayStand(Standing::kDelayed) ? Standing::kDelayed : look.lost.back();
  look.found.unreadable = "how it stands cannot be read: " + stand.reason;
  look.found.is_guess = true;
}

// Another row says that it was never delivered, so that it has none in `delivery`.
void NoteFresh(Look& look) {
  if (!look.is_lost() || !look.has_message) return;
  look.found.standing = Standing::kFresh;
  look.found.unreadable.clear();
  look.found.is_guess = false;
}

void NoteRow(StandingRow row, FoundMessage& found) {
  found.standing = row.standing;
  found.delivery = std::move(row.delivery);
  found.available_at = row.available_at;
  if (row.standing == Standing::kQuarantined) found.unreadable = std::move(row.unreadable);
}

Result<std::optional<Look>> Examine(const StoreView& view, const Shelf& shelf,
                                    SequenceNumber number, Bodies bodies) {
  Result<Stand> stand = StandOf(view, shelf, number);
  if (!stand.ok()) return stand.status();
  const bool has_row = stand->row.has_value();
  const auto record = view.Get(IdOf(Table::kMessages), MessageKey(shelf, number));
  if (!record.ok() && !record.status().is_damage()) return record.status();
  const bool is_missing = record.ok() && !*record;
  if (is_missing && !has_row) return std::optional<Look>();
  Look look;
  look.found.message = StubOf(number, has_row ? stand->row->facts : MessageFacts());
  if (!record.ok()) {
    look.found.unreadable = record.status().message();
    look.found.is_guess = !has_row;
  } else if (is_missing) {
    look.found.unreadable = kMissing;
  } else {
    WHARF_RETURN_IF_ERROR(ReadInto(view, **record, bodies, look.found));
  }
  if (has_row) {
    NoteRow(*std::move(stand->row), look.found);
  } else if (!stand->lost.empty()) {
    NoteLost(*std::move(stand), look);
  }
  return std::optional(std::move(look));
}

}  // namespace

Result<std::optional<FoundMessage>> LookAt(const StoreView& view, const Shelf& shelf,
                                           SequenceNumber number, Bodies bodies) {
  Result<std::optional<Look>> look = Examine(view, shelf, number, bodies);
  if (!look.ok()) return look.status();
  if (!*look) return std::optional<FoundMessage>();
  return std::optional(std::move((*look)->found));
}

UnreadableMessage UnreadableOf(const FoundMessage& found) {
  return {.number = found.message->number,
          .reason = found.unreadable,
          .standing = found.standing,
          .delivery = found.delivery,
          .facts = found.message->facts,
          .is_guess = found.is_guess};
}

NumberWalk NumberWalk::OfMessages(const StoreView& view, const Shelf& shelf, SequenceNumber from,
                                  SequenceNumber until, InDamage in_damage) {
  return {view.Scan(IdOf(Table::kMessages), MessageRange(shelf, from, until)),
          [shelf](SequenceNumber number) { return MessageKey(shelf, number); },
          NumberOfMessageKey,
          from,
          until,
          in_damage};
}

NumberWalk NumberWalk::OfQuarantine(const StoreView& view, const Shelf& shelf,
                                    SequenceNumber from) {
  constexpr Standing kStanding = Standing::kQuarantined;
  return {view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, kStanding, from)),
          [shelf](SequenceNumber number) { return DeliveryKey(shelf, kStanding, number); },
          NumberOfDeliveryKey,
          from,
          kNumberEnd,
          InDamage::kPass};
}

NumberWalk NumberWalk::OfScheduled(const StoreView& view, EntityId entity, SequenceNumber from,
                                   SequenceNumber until) {
  return {view.Scan(IdOf(Table::kScheduled), ScheduledRange(entity, from, until)),
          [entity](SequenceNumber number) { return ScheduledKey(entity, number); },
          NumberOfScheduledKey,
          from,
          until,
          InDamage::kPass};
}

std::optional<SequenceNumber> NumberWalk::Next() {
  while (!is_over_) {
    if (next_ < damage_end_) return std::exchange(next_, next_.Next());
    if (rows_->valid()) {
      const auto number = number_of_(rows_->key());
      has_bad_key_ = !number;
      if (!number) break;
      next_ = number->Next();
      rows_->Next();
      return number;
    }
    if (!HasMetDamage(*rows_) || next_ >= until_) break;
    damage_end_ = PassDamage(*rows_, key_of_, next_, until_);
    if (in_damage_ == InDamage::kPass) next_ = damage_end_;
  }
  is_over_ = true;
  return std::nullopt;
}

Status NumberWalk::status() const {
  const Status status = rows_->status();
  if (has_bad_key_) return DamagedKey();
  return status.is_damage() ? Status::Ok() : status;
}

namespace {

// Instead of where it is guessed to stand.
UnreadableMessage UnreadableAt(Standing standing, const FoundMessage& found) {
  UnreadableMessage unreadable = UnreadableOf(found);
  unreadable.standing = standing;
  return unreadable;
}

}  // namespace

Result<FreshBatch> ReadFreshCarefully(const StoreView& view, const Shelf& shelf,
                                      const ReadFresh& read) {
  FreshBatch batch{read.from, read.until, {}};
  std::size_t bytes = 0;
  std::size_t looks = 0;
  NumberWalk walk =
      NumberWalk::OfMessages(view, shelf, read.from, read.until, NumberWalk::InDamage::kEach);
  while (const std::optional<SequenceNumber> number = walk.Next()) {
    const bool is_full = batch.messages.size() == read.messages_max || bytes >= read.bytes_max;
    if (is_full || looks++ == kLooksMax) {
      batch.covered = *number;
      return batch;
    }
    Result<std::optional<Look>> look = Examine(view, shelf, *number, Bodies::kLoad);
    if (!look.ok()) return look.status();
    if (!*look) continue;
    FoundMessage& found = (*look)->found;
    // If its row is lost it may be elsewhere; but nobody else would ever come to a fresh one.
    if (found.standing != Standing::kFresh && !(*look)->is_lost()) continue;
    if (!found.is_readable()) {
      batch.unreadable.push_back(UnreadableAt(Standing::kFresh, found));
      continue;
    }
    bytes += static_cast<std::size_t>(found.message->facts.held_size());
    batch.messages.push_back(std::move(found.message));
  }
  WHARF_RETURN_IF_ERROR(walk.status());
  return batch;
}

namespace {

// Looks, in the damage of another table, at the messages that stand there: each has a row in
// `messages`.
class Search {
 public:
  // What to do with a message; false: enough.
  using Take = std::function<bool(Look look)>;

  Search(const StoreView& view, const Shelf& shelf, Bodies bodies, Take take)
      : view_(view), shelf_(shelf), bodies_(bodies), take_(std::move(take)) {}

  // Where it stopped; `until` if it did not.
  Result<SequenceNumber> Run(SequenceNumber from, SequenceNumber until) {
    NumberWalk walk =
        NumberWalk::OfMessages(view_, shelf_, from, until, NumberWalk::InDamage::kPass);
    while (const std::optional<SequenceNumber> number = walk.Next()) {
      if (looks_++ == kLooksMax) return *number;
      Result<std::optional<Look>> look = Examine(view_, shelf_, *number, bodies_);
      if (!look.ok()) return look.status();
      if (*look && !take_(**std::move(look))) return *number;
    }
    WHARF_RETURN_IF_ERROR(walk.status());
    return until;
  }

 private:
  const StoreView& view_;
  const Shelf shelf_;
  const Bodies bodies_;
  const Take take_;
  std::size_t looks_ = 0;
};

}  // namespace

namespace {

// Where messages begin of which most were never delivered. One among them whose row is lost is
// found when they are read. A dead-letter queue has none.
Result<SequenceNumber> CursorOf(const StoreView& view, const Shelf& shelf) {
  if (shelf.kind != LaneKind::kMain) return kNumberEnd;
  const auto row = view.Get(IdOf(Table::kCounters), CountersKey(shelf.lane()));
  if (!row.ok()) return row.status();
  if (!*row) return SequenceNumber();
  const Result<LaneCounters> counters = DecodeCounters(**row);
  if (!counters.ok()) return counters.status();
  return counters->cursor;
}

// Messages that wait again, past what cannot be read. Each has its row here; where rows are lost,
// those that have none are the ones.
class ReturnedSearch {
 public:
  // `cursor`: none that waits again is at or above it.
  ReturnedSearch(const StoreView& view, const Shelf& shelf, const ReadReturned& read,
                 SequenceNumber cursor)
      : view_(view),
        shelf_(shelf),
        read_(read),
        cursor_(cursor),
        lost_(view, shelf, Bodies::kLeave, [this](const Look& look) { return AddLost(look); }),
        next_(read.from),
        batch_{read.from, kNumberEnd, {}} {}

  Result<ReturnedBatch> Run() {
    const auto rows =
        view_.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf_, Standing::kReturned, read_.from));
    for (;;) {
      WHARF_RETURN_IF_ERROR(TakeRows(*rows));
      if (is_full()) return Covered(next_);
      if (!HasMetDamage(*rows) || next_ == kNumberEnd) break;
      const SequenceNumber end = PassDamage(*rows, KeyOf(), next_, kNumberEnd);
      const Result<SequenceNumber> searched = SearchUntil(end);
      if (!searched.ok()) return searched.status();
      if (*searched < end) return Covered(*searched);
      next_ = end;
    }
    if (!rows->status().is_damage()) WHARF_RETURN_IF_ERROR(rows->status());
    return std::move(batch_);
  }

 private:
  bool is_full() const {
    return batch_.rows.size() + batch_.unreadable.size() >= read_.messages_max;
  }

  ReturnedBatch Covered(SequenceNumber next) {
    batch_.covered = next;
    return std::move(batch_);
  }

  KeyOfNumber KeyOf() const {
    return [shelf = shelf_](SequenceNumber number) {
      return DeliveryKey(shelf, Standing::kReturned, number);
    };
  }

  Status TakeRows(StoreCursor& rows) {
    for (; rows.valid() && !is_full(); rows.Next()) {
      const auto number = NumberOfDeliveryKey(rows.key());
      if (!number) return DamagedKey();
      Add(*number, DecodeReturned(*number, rows.value()));
      next_ = number->Next();
    }
    return {};
  }

  void Add(SequenceNumber number, Result<ReturnedRow> row) {
    if (row.ok()) return batch_.rows.push_back(*std::move(row));
    batch_.unreadable.push_back(
        {.number = number, .reason = row.status().message(), .standing = Standing::kReturned});
  }

  // Where it stopped; `end` if it did not.
  Result<SequenceNumber> SearchUntil(SequenceNumber end) {
    const SequenceNumber search_end = std::min(end, cursor_);
    if (next_ >= search_end) return end;
    const Result<SequenceNumber> searched = lost_.Run(next_, search_end);
    if (!searched.ok() || *searched < search_end) return searched;
    return end;
  }

  bool AddLost(const Look& look) {
    if (is_full()) return false;
    const FoundMessage& found = look.found;
    const bool has_row = !found.is_guess && found.standing == Standing::kReturned;
    if (has_row) {
      batch_.rows.push_back({found.message->number, found.delivery, found.message->facts});
    } else if (look.MayStand(Standing::kReturned)) {
      batch_.unreadable.push_back(UnreadableAt(Standing::kReturned, found));
    }
    return true;
  }

  const StoreView& view_;
  const Shelf shelf_;
  const ReadReturned& read_;
  const SequenceNumber cursor_;
  Search lost_;
  SequenceNumber next_;
  ReturnedBatch batch_;
};

}  // namespace

Result<ReturnedBatch> ReadReturnedCarefully(const StoreView& view, const Shelf& shelf,
                                            const ReadReturned& read) {
  const Result<SequenceNumber> cursor = CursorOf(view, shelf);
  if (!cursor.ok()) return cursor.status();
  return ReturnedSearch(view, shelf, read, *cursor).Run();
}

Result<ContentBatch> ReadContentCarefully(const StoreView& view, const Shelf& shelf,
                                          const ReadContent& read) {
  ContentBatch batch;
  for (const SequenceNumber number : read.numbers) {
    Result<std::optional<Look>> look = Examine(view, shelf, number, Bodies::kLoad);
    if (!look.ok()) return look.status();
    // It waits there for sure, and by what was read before: no other row is needed.
    if (!*look) {
      batch.unreadable.push_back({.number = number, .reason = kMissing});
    } else if ((*look)->found.is_readable() || (*look)->has_message) {
      batch.messages.push_back(std::move((*look)->found.message));
    } else {
      batch.unreadable.push_back({.number = number, .reason = (*look)->found.unreadable});
    }
  }
  return batch;
}

namespace {

// The messages of a session or a track, past what cannot be read.
class SessionSearch {
 public:
  SessionSearch(const StoreView& view, const Shelf& shelf, const ReadSession& read)
      : view_(view), shelf_(shelf), read_(read), batch_{read.from, kNumberEnd, {}} {}

  Result<SessionBatch> Run() {
    const auto rows =
        view_.Scan(IdOf(Table::kOrder), OrderRange(shelf_, read_.session, read_.from));
    const auto key_of = [this](SequenceNumber number) {
      return OrderKey(shelf_, read_.session, number);
    };
    Search lost(view_, shelf_, Bodies::kLoad,
                [this](Look look) { return AddLost(std::move(look.found)); });
    SequenceNumber next = read_.from;
    for (;;) {
      for (; rows->valid(); rows->Next()) {
        const auto place = MessageOfOrderKey(rows->key());
        if (!place) return DamagedKey();
        next = place->number;
        if (is_full()) return Covered(next);
        WHARF_RETURN_IF_ERROR(Add(next, DecodeOrder(rows->value())));
        next = next.Next();
      }
      if (!HasMetDamage(*rows) || next == kNumberEnd) break;
      const SequenceNumber end = PassDamage(*rows, key_of, next, kNumberEnd);
      const Result<SequenceNumber> searched = lost.Run(next, end);
      if (!searched.ok()) return searched.status();
      next = *searched;
      if (next < end) return Covered(next);
    }
    if (!rows->status().is_damage()) WHARF_RETURN_IF_ERROR(rows->status());
    return std::move(batch_);
  }

 private:
  bool is_full() const {
    return batch_.messages.size() + batch_.unreadable.size() >= read_.messages_max ||
           bytes_ >= read_.bytes_max;
  }

  SessionBatch Covered(SequenceNumber next) {
    batch_.covered = next;
    return std::move(batch_);
  }

  // A message that has its row.
  Status Add(SequenceNumber number, const Result<Standing>& standing) {
    Result<std::optional<Look>> look = Examine(view_, shelf_, number, Bodies::kLoad);
    if (!look.ok()) return look.status();
    if (*look && standing.ok() && *standing == Standing::kFresh) NoteFresh(**look);
    const bool is_there = *look && (*look)->found.is_readable() && standing.ok();
    if (is_there) {
      Take(std::move((*look)->found));
    } else {
      UnreadableMessage unreadable = *look ? UnreadableOf((*look)->found) : Missing(number);
      batch_.unreadable.push_back(Placed(std::move(unreadable), standing));
    }
    return {};
  }

  // Its row here is as good as any; if that says nothing, where it waits by the other one.
  static UnreadableMessage Placed(UnreadableMessage unreadable, const Result<Standing>& standing) {
    if (standing.ok()) {
      unreadable.standing = *standing;
      unreadable.is_guess = false;
      return unreadable;
    }
    unreadable.reason = standing.status().message();
    if (!unreadable.is_guess && Waits(unreadable.standing)) return unreadable;
    unreadable.standing = Standing::kFresh;
    unreadable.is_guess = true;
    return unreadable;
  }

  static UnreadableMessage Missing(SequenceNumber number) {
    return {.number = number, .reason = kMissing};
  }

  // One whose row is lost, if it belongs here.
  bool AddLost(FoundMessage found) {
    if (is_full()) return false;
    const MessageFacts& facts = found.message->facts;
    const bool is_here = facts.ordering_key() == read_.session && Waits(found.standing) &&
                         !(facts.track && found.standing == Standing::kDelayed);
    if (is_here && found.is_readable()) Take(std::move(found));
    return true;
  }

  void Take(FoundMessage found) {
    bytes_ += static_cast<std::size_t>(found.message->facts.held_size());
    const SequenceNumber number = found.message->number;
    const MessageFacts facts = found.message->facts;
    batch_.messages.push_back(
        {number, std::move(found.delivery), facts, found.standing, std::move(found.message)});
  }

  const StoreView& view_;
  const Shelf shelf_;
  const ReadSession& read_;
  SessionBatch batch_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<SessionBatch> ReadSessionCarefully(const StoreView& view, const Shelf& shelf,
                                          const ReadSession& read) {
  return SessionSearch(view, shelf, read).Run();
}

Result<FoundMessages> ReadFoundCarefully(const StoreView& view, const Shelf& shelf,
                                         const std::vector<SequenceNumber>& numbers,
                                         Bodies bodies) {
  FoundMessages all;
  for (const SequenceNumber number : numbers) {
    Result<std::optional<FoundMessage>> found = LookAt(view, shelf, number, bodies);
    if (!found.ok()) return found.status();
    all[number] = *std::move(found);
  }
  return all;
}

}  // namespace wharf
