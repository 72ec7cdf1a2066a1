#include "broker/reading/recount.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

constexpr std::array kStandings = {Standing::kReturned, Standing::kDeferred, Standing::kDelayed,
                                   Standing::kLocked};

// Faster than any broker sends. If nobody knows how many numbers were given, it was fewer.
constexpr std::int64_t kNumbersPerSecondMax = 1'000'000;
constexpr std::uint64_t kNumberOfPartitionMax = std::uint64_t{1} << 47;

bool WaitsInOrder(Standing standing, const MessageFacts& facts) {
  if (facts.ordering_key().empty()) return false;
  return standing == Standing::kFresh || standing == Standing::kReturned ||
         (standing == Standing::kDelayed && !facts.track);
}

std::int64_t& CountOf(LaneCounters& counters, Standing standing) {
  switch (standing) {
    case Standing::kLocked:
      return counters.locked;
    case Standing::kReturned:
      return counters.returned;
    case Standing::kDelayed:
      return counters.delayed;
    case Standing::kDeferred:
      return counters.deferred;
    case Standing::kFresh:
      break;
  }
  return counters.fresh;
}

}  // namespace

// Those that can be read, the one that is believed first; and those that cannot.
struct Recount::Standings {
  std::vector<Standing> readable;
  std::vector<Standing> unreadable;
};

// The rows of a shelf in `delivery`, number by number.
class Recount::DeliveryWalk {
 public:
  DeliveryWalk(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
    for (std::size_t i = 0; i < kStandings.size(); ++i) {
      rows_[i] = view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, kStandings[i], from));
    }
  }

  // The lowest number of all; nothing if there is none.
  Result<std::optional<SequenceNumber>> lowest() const {
    std::optional<SequenceNumber> lowest;
    for (const auto& rows : rows_) {
      WHARF_RETURN_IF_ERROR(rows->status());
      if (!rows->valid()) continue;
      const auto number = NumberOfDeliveryKey(rows->key());
      if (!number) return DamagedKey();
      lowest = std::min(lowest.value_or(*number), *number);
    }
    return lowest;
  }

  Standings Take(SequenceNumber number) {
    Standings standings;
    for (std::size_t i = 0; i < kStandings.size(); ++i) {
      StoreCursor& rows = *rows_[i];
      if (!rows.valid() || NumberOfDeliveryKey(rows.key()) != number) continue;
      const bool is_readable = IsReadable(kStandings[i], number, rows.value());
      (is_readable ? standings.readable : standings.unreadable).push_back(kStandings[i]);
      rows.Next();
    }
    return standings;
  }

 private:
  static bool IsReadable(Standing standing, SequenceNumber number, std::string_view record) {
    if (standing == Standing::kLocked) return DecodeLocked(number, record).ok();
    return DecodeStanding(standing, number, record).ok();
  }

  std::array<std::unique_ptr<StoreCursor>, kStandings.size()> rows_;
};

Recount::Recount(EntityRecord record, Timestamp now) : record_(std::move(record)), now_(now) {
  main_.shelf = Shelf(record_.id, LaneKind::kMain);
  dead_letter_.shelf = Shelf(record_.id, LaneKind::kDeadLetter);
}

Result<bool> Recount::Step(const StoreView& view, std::size_t rows_max,
                           std::vector<RowsMended>* mends) {
  RowsMended page;
  Mends* const wrong = mends == nullptr ? nullptr : &page.mends;
  Status status;
  page.shelf = part().shelf;
  switch (phase_) {
    case Phase::kBegin:
      status = Begin(view);
      break;
    case Phase::kMessages:
      status = StepMessages(view, rows_max, wrong);
      break;
    case Phase::kOrder:
      status = StepOrder(view, rows_max, wrong);
      break;
    case Phase::kScheduled:
      status = StepScheduled(view, rows_max);
      break;
    case Phase::kStates:
      status = StepStates(view, rows_max);
      break;
    case Phase::kEnd:
      break;
  }
  WHARF_RETURN_IF_ERROR(status);
  if (!page.mends.empty()) mends->push_back(std::move(page));
  return phase_ == Phase::kEnd;
}

void Recount::EndPhase(Phase next) {
  phase_ = next;
  from_ = SequenceNumber();
  after_.clear();
}

Status Recount::Begin(const StoreView& view) {
  for (Part* each : {&main_, &dead_letter_}) {
    const auto row = view.Get(IdOf(Table::kCounters), CountersKey(each->shelf.lane()));
    if (!row.ok()) return row.status();
    each->stored = LaneCounters();
    if (*row) {
      const Result<LaneCounters> decoded = DecodeCounters(**row);
      each->stored = decoded.ok() ? std::optional(*decoded) : std::nullopt;
    }
    if (each->stored) {
      each->shelf.generation = each->stored->generation;
    } else {
      WHARF_RETURN_IF_ERROR(FindShelf(view, *each));
    }
  }
  EndPhase(Phase::kMessages);
  return {};
}

// What was purged is being reclaimed, and says so; so the lane is where there are other messages.
Status Recount::FindShelf(const StoreView& view, Part& part) const {
  std::optional<std::uint8_t> found;
  std::optional<std::uint8_t> empty;
  for (std::uint8_t generation = 0; generation < kShelfGenerations; ++generation) {
    const Shelf shelf(part.shelf.entity, part.shelf.kind, generation);
    const auto reclaimed = view.Get(IdOf(Table::kJobs), ReclaimShelfKey(shelf));
    if (!reclaimed.ok()) return reclaimed.status();
    if (*reclaimed) continue;
    const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(shelf, SequenceNumber()));
    WHARF_RETURN_IF_ERROR(rows->status());
    if (!rows->valid()) {
      if (!empty) empty = generation;
      continue;
    }
    if (found) {
      return {ErrorCode::kGeneralError,
              fmt::format("'{}' cannot be repaired: the row of its counters cannot be read, and "
                          "messages stand on more than one shelf; delete it, or restore the folder "
                          "from a backup",
                          record_.description.name)};
    }
    found = generation;
  }
  part.shelf.generation = found.value_or(empty.value_or(0));
  return {};
}

bool Recount::HasCursor(const Part& part) const {
  const QueueDescription& queue = record_.description;
  return part.shelf.kind == LaneKind::kMain && !queue.requires_session && !queue.enable_priority &&
         !queue.enable_partitioning;
}

void Recount::NoteNumber(SequenceNumber number) {
  SequenceNumber& highest = highest_[PartitionOf(number)];
  highest = std::max(highest, number);
}

// --- messages

Status Recount::StepMessages(const StoreView& view, std::size_t rows_max, Mends* mends) {
  const Shelf shelf = part().shelf;
  MessageCursor messages(view, IdOf(Table::kMessages), MessageRange(shelf, from_), Bodies::kLeave);
  DeliveryWalk deliveries(view, shelf, from_);
  for (std::size_t rows = 0; rows < rows_max; ++rows) {
    WHARF_RETURN_IF_ERROR(messages.status());
    const auto lowest = deliveries.lowest();
    if (!lowest.ok()) return lowest.status();
    std::optional<SequenceNumber> number = *lowest;
    MessagePtr message;
    if (messages.valid()) {
      const Result<SequenceNumber> at = messages.number();
      if (!at.ok()) return at.status();
      if (!number || *at <= *number) {
        Result<MessagePtr> read = messages.message();
        if (!read.ok()) return read.status();
        message = *std::move(read);
        number = *at;
        messages.Next();
      }
    }
    if (!number) {
      EndPhase(Phase::kOrder);
      return {};
    }
    Standings standings = deliveries.Take(*number);
    const MessageFacts* const facts = message ? &message->facts : nullptr;
    WHARF_RETURN_IF_ERROR(Judge(view, *number, facts, standings, mends));
    from_ = number->Next();
  }
  return {};
}

// Where a message has several standings the one is believed that delivers it soonest: it may come
// once more, and is never lost.
Status Recount::Judge(const StoreView& view, SequenceNumber number, const MessageFacts* facts,
                      Standings& standings, Mends* mends) {
  Part& lane = part();
  NoteNumber(number);
  const auto drop = [number, mends](Standing standing) {
    if (mends != nullptr) {
      mends->push_back({RowMend::Kind::kDropDelivery, number, standing, std::string()});
    }
  };
  for (const Standing standing : standings.unreadable) drop(standing);
  lane.rows_unreadable += static_cast<std::int64_t>(standings.unreadable.size());
  std::vector<Standing>& readable = standings.readable;
  if (facts == nullptr) {
    for (const Standing standing : readable) drop(standing);
    lane.rows_without_message += static_cast<std::int64_t>(readable.size());
    return {};
  }
  ++messages_;
  lane.counted.bytes += facts->size;
  for (; readable.size() > 1; readable.pop_back()) {
    drop(readable.back());
    ++lane.rows_too_many;
  }
  // A lock in a session is held with the session.
  const bool is_in_session = record_.description.requires_session && !facts->session_id.empty() &&
                             lane.shelf.kind == LaneKind::kMain;
  bool is_unheld = false;
  if (!readable.empty() && readable.front() == Standing::kLocked && is_in_session) {
    const Result<bool> is_held = IsHeld(view, facts->session_id);
    if (!is_held.ok()) return is_held.status();
    is_unheld = !*is_held;
  }
  if (is_unheld) {
    drop(Standing::kLocked);
    readable.clear();
    ++lane.rows_too_many;
  }
  Standing standing = readable.empty() ? Standing::kFresh : readable.front();
  const bool lost_its_row = is_unheld || !standings.unreadable.empty();
  const bool must_return =
      readable.empty() && (lost_its_row || lane.shelf.kind == LaneKind::kDeadLetter);
  if (must_return) {
    standing = Standing::kReturned;
    ++lane.rows_missing;
    if (mends != nullptr) {
      mends->push_back({RowMend::Kind::kReturn, number, standing, std::string(), *facts});
    }
  }
  ++CountOf(lane.counted, standing);
  if (standing == Standing::kFresh && !lane.lowest_fresh) lane.lowest_fresh = number;
  return CheckOrder(view, number, *facts, standing, mends);
}

Result<bool> Recount::IsHeld(const StoreView& view, const std::string& session) const {
  const auto row = view.Get(IdOf(Table::kSessions), SessionKey(record_.id, session));
  if (!row.ok()) return row.status();
  if (!*row) return false;
  const Result<SessionRow> decoded = DecodeSession(**row);
  return decoded.ok() && !decoded->token.is_zero();
}

// --- orders

Status Recount::CheckOrder(const StoreView& view, SequenceNumber number, const MessageFacts& facts,
                           Standing standing, Mends* mends) {
  if (!WaitsInOrder(standing, facts)) return {};
  Part& lane = part();
  const std::string key(facts.ordering_key());
  const auto row = view.Get(IdOf(Table::kOrder), OrderKey(lane.shelf, key, number));
  if (!row.ok()) return row.status();
  if (*row) ++lane.order_of_messages;
  const Result<Standing> told = *row ? DecodeOrder(**row) : Result<Standing>(Standing::kLocked);
  if (told.ok() && *told == standing) return {};
  ++lane.order_wrong;
  if (mends != nullptr) mends->push_back({RowMend::Kind::kPutOrder, number, standing, key});
  return {};
}

Status Recount::StepOrder(const StoreView& view, std::size_t rows_max, Mends* mends) {
  Part& lane = part();
  KeyRange range = OrderRange(lane.shelf, std::nullopt);
  if (!after_.empty()) range.begin = after_ + '\0';
  const auto rows = view.Scan(IdOf(Table::kOrder), range);
  for (std::size_t count = 0; count < rows_max && rows->valid(); ++count, rows->Next()) {
    const auto place = MessageOfOrderKey(rows->key());
    if (!place) return DamagedKey();
    after_ = std::string(rows->key());
    ++lane.order_rows;
    if (mends == nullptr) continue;
    WHARF_RETURN_IF_ERROR(MendOrder(view, place->session, place->number, rows->value(), *mends));
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  if (rows->valid()) return {};
  EndPhase(is_dead_letter_ ? Phase::kScheduled : Phase::kMessages);
  is_dead_letter_ = true;
  return {};
}

// Rows that messages need were put right before; what has no message, or one that stands elsewhere,
// goes. The first that waits in a session is offered: an offer too many is found out.
Status Recount::MendOrder(const StoreView& view, const std::string& session, SequenceNumber number,
                          std::string_view value, Mends& mends) {
  const Shelf& shelf = part().shelf;
  const Result<Standing> standing = DecodeOrder(value);
  const Result<Contents> contents = ReadMessages(view, shelf, {number}, Bodies::kLeave);
  if (!contents.ok()) return contents.status();
  const auto message = contents->find(number);
  StandingLookup standings(view, shelf, number);
  const Result<StandingRow> stands = standings.Find(number);
  if (!stands.ok()) return stands.status();
  const bool is_right = message != contents->end() && standing.ok() &&
                        stands->standing == *standing &&
                        message->second->facts.ordering_key() == session &&
                        WaitsInOrder(*standing, message->second->facts);
  if (!is_right) {
    mends.push_back({RowMend::Kind::kDropOrder, number, Standing::kFresh, session});
    return {};
  }
  const bool has_offers = record_.description.requires_session && shelf.kind == LaneKind::kMain;
  if (!has_offers || offered_ == session) return {};
  offered_ = session;
  const Result<bool> is_held = IsHeld(view, session);
  if (!is_held.ok()) return is_held.status();
  if (!*is_held && *standing != Standing::kDelayed) {
    mends.push_back({RowMend::Kind::kOffer, number, *standing, session});
  }
  return {};
}

// --- what counts for the whole entity

Status Recount::StepScheduled(const StoreView& view, std::size_t rows_max) {
  const SequenceNumber floor = main_.stored ? main_.stored->scheduled_floor : SequenceNumber(1);
  MessageCursor rows(view, IdOf(Table::kScheduled),
                     ScheduledRange(record_.id, std::max(from_, floor), kNumberEnd),
                     Bodies::kLeave);
  for (std::size_t count = 0; count < rows_max && rows.valid(); ++count, rows.Next()) {
    const Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    ++messages_;
    ++main_.counted.scheduled;
    main_.counted.scheduled_bytes += (*message)->facts.size;
    NoteNumber((*message)->number);
    from_ = (*message)->number.Next();
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  if (!rows.valid()) EndPhase(Phase::kStates);
  return {};
}

Status Recount::StepStates(const StoreView& view, std::size_t rows_max) {
  std::optional<std::string> after;
  if (!after_.empty()) after = after_;
  const auto rows = view.Scan(IdOf(Table::kSessionState), SessionRange(record_.id, after));
  for (std::size_t count = 0; count < rows_max && rows->valid(); ++count, rows->Next()) {
    const auto session = SessionOfKey(rows->key());
    const Result<SessionState> state = DecodeSessionState(rows->value());
    if (!session) return DamagedKey();
    if (!state.ok()) return state.status();
    main_.counted.session_state_bytes += static_cast<std::int64_t>(state->bytes.size());
    after_ = *session;
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  if (!rows->valid()) EndPhase(Phase::kEnd);
  return {};
}

// --- what comes of it

SequenceNumber Recount::NextNumber(PartitionId partition, SequenceNumber stored) const {
  const auto seen = highest_.find(partition);
  SequenceNumber next = stored;
  if (seen != highest_.end()) next = std::max(next, seen->second.Next());
  if (main_.stored) return next;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now_ - record_.created_at);
  const auto given = static_cast<std::uint64_t>(std::max<std::int64_t>(age.count() + 1, 1)) *
                     static_cast<std::uint64_t>(kNumbersPerSecondMax);
  const std::uint64_t first = FirstNumberOf(partition).value();
  return std::max(next, SequenceNumber(first + std::min(given, kNumberOfPartitionMax)));
}

LaneCounters Recount::CountersOf(LaneKind kind) const {
  const Part& lane = kind == LaneKind::kMain ? main_ : dead_letter_;
  LaneCounters counters = lane.stored.value_or(LaneCounters());
  const LaneCounters& counted = lane.counted;
  counters.fresh = counted.fresh;
  counters.locked = counted.locked;
  counters.returned = counted.returned;
  counters.delayed = counted.delayed;
  counters.deferred = counted.deferred;
  counters.bytes = counted.bytes;
  counters.generation = lane.shelf.generation;
  if (kind == LaneKind::kDeadLetter) return counters;
  counters.scheduled = counted.scheduled;
  counters.scheduled_bytes = counted.scheduled_bytes;
  counters.session_state_bytes = counted.session_state_bytes;
  counters.next_number = NextNumber(0, counters.next_number);
  const bool has_partitions = record_.description.enable_partitioning;
  const bool has_numbers = !counters.next_numbers.empty() || !main_.stored || highest_.size() > 1;
  if (has_partitions && has_numbers) {
    counters.next_numbers.resize(kPartitions - 1U);
    for (PartitionId partition = 1; partition < kPartitions; ++partition) {
      SequenceNumber& next = counters.next_numbers[partition - 1U];
      next = NextNumber(partition, std::max(next, FirstNumberOf(partition)));
    }
  }
  if (!HasCursor(lane)) return counters;
  if (!lane.stored) counters.cursor = counters.next_number;
  if (lane.lowest_fresh) counters.cursor = std::min(counters.cursor, *lane.lowest_fresh);
  return counters;
}

void Recount::Compare(const Part& lane, std::vector<RecountDifference>& differences) const {
  const LaneKind kind = lane.shelf.kind;
  const auto compare = [&](const char* what, std::int64_t counted, std::int64_t found) {
    if (counted != found) differences.push_back({kind, what, counted, found});
  };
  compare("unreadable_counters", 0, lane.stored ? 0 : 1);
  compare("delivery_rows_without_message", 0, lane.rows_without_message);
  compare("delivery_rows_too_many", 0, lane.rows_too_many);
  compare("delivery_rows_unreadable", 0, lane.rows_unreadable);
  compare("delivery_rows_missing", 0, lane.rows_missing);
  compare("order_rows_missing", 0, lane.order_wrong);
  compare("order_rows_without_message", 0, lane.order_rows - lane.order_of_messages);
  if (!lane.stored) return;
  const LaneCounters counted = CountersOf(kind);
  const LaneCounters& stored = *lane.stored;
  compare("fresh_message_count", stored.fresh, counted.fresh);
  compare("locked_message_count", stored.locked, counted.locked);
  compare("returned_message_count", stored.returned, counted.returned);
  compare("delayed_message_count", stored.delayed, counted.delayed);
  compare("deferred_message_count", stored.deferred, counted.deferred);
  compare("size_in_bytes", stored.bytes, counted.bytes);
  compare("scheduled_message_count", stored.scheduled, counted.scheduled);
  compare("scheduled_size_in_bytes", stored.scheduled_bytes, counted.scheduled_bytes);
  compare("session_state_size_in_bytes", stored.session_state_bytes, counted.session_state_bytes);
  compare("cursor", static_cast<std::int64_t>(stored.cursor.value()),
          static_cast<std::int64_t>(counted.cursor.value()));
  compare("next_sequence_number", static_cast<std::int64_t>(stored.next_number.value()),
          static_cast<std::int64_t>(counted.next_number.value()));
  compare("next_partition_numbers", stored.next_numbers == counted.next_numbers ? 0 : 1, 0);
}

RecountReport Recount::Report() const {
  RecountReport report{.messages = messages_};
  Compare(main_, report.differences);
  Compare(dead_letter_, report.differences);
  return report;
}

}  // namespace wharf
