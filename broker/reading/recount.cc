#include "broker/reading/recount.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "broker/reading/row_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

constexpr std::array kStandings = {Standing::kQuarantined, Standing::kReturned, Standing::kDeferred,
                                   Standing::kDelayed, Standing::kLocked};

// Walks that meet damage, behind those of the standings.
constexpr std::size_t kOfMessages = kStandings.size();
constexpr std::size_t kOfScheduled = kOfMessages + 1;

// Faster than any broker sends. If nobody knows how many numbers were given, it was fewer.
constexpr std::int64_t kNumbersPerSecondMax = 1'000'000;
constexpr std::uint64_t kNumberOfPartitionMax = std::uint64_t{1} << 47;

// The row of a message.
struct MessageRow {
  bool is_there = false;
  // It stands in a place that cannot be read, and may be gone.
  bool is_guess = false;
  // As far as it can be read. A message that cannot be is put into quarantine by the receiver that
  // comes to it.
  bool is_readable = false;
  MessageFacts facts{};
};

Result<MessageRow> ToMessageRow(SequenceNumber number,
                                const Result<std::optional<std::string>>& record) {
  if (!record.ok() && !record.status().is_damage()) return record.status();
  MessageRow row{.is_there = !record.ok() || record->has_value(), .is_guess = !record.ok()};
  if (!record.ok() || !*record) return row;
  Result<StoredMessage> message = DecodeMessage(number, **record);
  row.is_readable = message.ok();
  if (message.ok()) row.facts = std::move(message->facts);
  return row;
}

bool WaitsInOrder(Standing standing, const MessageFacts& facts) {
  if (facts.ordering_key().empty()) return false;
  return standing == Standing::kFresh || standing == Standing::kReturned ||
         (standing == Standing::kDelayed && !facts.track);
}

}  // namespace

// Those that can be read, the one that is believed first; and those that cannot, or that may stand
// in a place that cannot be read.
struct Recount::Standings {
  std::vector<Standing> readable;
  std::vector<Standing> unreadable;
  // As the first that can be read says.
  MessageFacts facts{};

  void Add(Standing standing, const Result<StandingRow>& row) {
    if (row.ok() && readable.empty()) facts = row->facts;
    (row.ok() ? readable : unreadable).push_back(standing);
  }
};

// The rows of a shelf in `delivery`, number by number.
class Recount::DeliveryWalk {
 public:
  DeliveryWalk(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
    rows_.reserve(kStandings.size());
    for (const Standing standing : kStandings) {
      rows_.emplace_back(
          view, Table::kDelivery, DeliveryRange(shelf, standing, from), from,
          [shelf, standing](SequenceNumber number) { return DeliveryKey(shelf, standing, number); },
          NumberOfDeliveryKey);
    }
  }

  // The lowest number of all; nothing if there is none.
  Result<std::optional<SequenceNumber>> Next() {
    std::optional<SequenceNumber> lowest;
    for (RowWalk& rows : rows_) {
      const auto next = rows.Next();
      if (!next.ok()) return next.status();
      if (*next) lowest = std::min(lowest.value_or(**next), **next);
    }
    return lowest;
  }

  Result<Standings> Take(SequenceNumber number) {
    Standings standings;
    for (std::size_t i = 0; i < kStandings.size(); ++i) {
      const Result<std::optional<std::string>> record = rows_[i].Take(number);
      if (!record.ok() && !record.status().is_damage()) return record.status();
      if (!record.ok()) {
        standings.Add(kStandings[i], record.status());
      } else if (*record) {
        standings.Add(kStandings[i], DecodeStanding(kStandings[i], number, **record));
      }
    }
    return standings;
  }

  const std::vector<RowWalk>& rows() const { return rows_; }

 private:
  std::vector<RowWalk> rows_;
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

RowWalk Recount::MessagesOf(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
  return {view,
          Table::kMessages,
          MessageRange(shelf, from),
          from,
          [shelf](SequenceNumber number) { return MessageKey(shelf, number); },
          NumberOfMessageKey};
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
    const auto first = MessagesOf(view, shelf, SequenceNumber()).Next();
    if (!first.ok()) return first.status();
    if (!*first) {
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

// The first number of an entity, of these, that a message may have.
std::optional<SequenceNumber> Recount::FirstGiven(SequenceNumber from, SequenceNumber until) const {
  if (!main_.stored) return std::nullopt;
  for (PartitionId partition = PartitionOf(from); from < until && partition < kPartitions;) {
    const std::vector<SequenceNumber>& others = main_.stored->next_numbers;
    const bool is_known = partition == 0 || partition <= others.size();
    if (!is_known) return std::nullopt;
    if (from < (partition == 0 ? main_.stored->next_number : others[partition - 1U])) return from;
    if (++partition < kPartitions) from = std::max(from, FirstNumberOf(partition));
  }
  return std::nullopt;
}

// In a place that cannot be read there may be messages that no other row tells of: those that were
// never delivered. In damage that reaches to the last row of a lane in a file each later message of
// the lane can only be read by its number.
std::optional<SequenceNumber> Recount::NextGuess(const RowWalk& messages) const {
  if (is_dead_letter_) return std::nullopt;
  SequenceNumber from = std::max(from_, messages.damage_begin());
  if (HasCursor(main_) && main_.stored) from = std::max(from, main_.stored->cursor);
  return FirstGiven(from, messages.damage_end());
}

// A step that begins in a damaged place meets it again.
void Recount::NoteDamage(Part& lane, std::size_t walk, const RowWalk& rows) {
  SequenceNumber& noted = lane.damage_noted[walk];
  if (rows.damage_end() <= noted) return;
  noted = rows.damage_end();
  ++lane.damaged_places;
}

Status Recount::StepMessages(const StoreView& view, std::size_t rows_max, Mends* mends) {
  const Shelf shelf = part().shelf;
  RowWalk messages = MessagesOf(view, shelf, from_);
  DeliveryWalk deliveries(view, shelf, from_);
  for (std::size_t rows = 0; rows < rows_max; ++rows) {
    const auto next_message = messages.Next();
    if (!next_message.ok()) return next_message.status();
    const auto next_delivery = deliveries.Next();
    if (!next_delivery.ok()) return next_delivery.status();
    NoteDamage(part(), kOfMessages, messages);
    for (std::size_t i = 0; i < kStandings.size(); ++i) NoteDamage(part(), i, deliveries.rows()[i]);
    const SequenceNumber number =
        std::min({next_message->value_or(kNumberEnd), next_delivery->value_or(kNumberEnd),
                  NextGuess(messages).value_or(kNumberEnd)});
    if (number == kNumberEnd) {
      EndPhase(Phase::kOrder);
      return {};
    }
    WHARF_RETURN_IF_ERROR(StepMessage(view, number, messages, deliveries, mends));
    from_ = number.Next();
  }
  return {};
}

Status Recount::StepMessage(const StoreView& view, SequenceNumber number, RowWalk& messages,
                            DeliveryWalk& deliveries, Mends* mends) {
  Result<MessageRow> message = ToMessageRow(number, messages.Take(number));
  if (!message.ok()) return message.status();
  Result<Standings> standings = deliveries.Take(number);
  if (!standings.ok()) return standings.status();
  const bool is_alone = standings->readable.empty() && standings->unreadable.empty();
  if (!message->is_there && is_alone) return {};
  if (message->is_guess && is_alone && !HasCursor(part())) return {};
  const bool is_quarantined =
      !standings->readable.empty() && standings->readable.front() == Standing::kQuarantined;
  if (message->is_there && !message->is_readable) {
    if (!is_quarantined) ++part().messages_unreadable;
    message->facts = standings->facts;
  }
  return Judge(view, number, message->is_there ? &message->facts : nullptr, *standings, mends);
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
  const bool is_quarantined = !readable.empty() && readable.front() == Standing::kQuarantined;
  if (facts == nullptr && !is_quarantined) {
    for (const Standing standing : readable) drop(standing);
    lane.rows_without_message += static_cast<std::int64_t>(readable.size());
    return {};
  }
  ++messages_;
  if (facts != nullptr) lane.counted.bytes += facts->size;
  for (; readable.size() > 1; readable.pop_back()) {
    drop(readable.back());
    ++lane.rows_too_many;
  }
  if (is_quarantined) {
    ++lane.counted.quarantined;
    return {};
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
  ++lane.counted.of(standing);
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
  if (!row.ok() && !row.status().is_damage()) return row.status();
  const bool is_there = row.ok() && *row;
  if (is_there) ++lane.order_of_messages;
  const Result<Standing> told = is_there ? DecodeOrder(**row) : Result<Standing>(Standing::kLocked);
  if (told.ok() && *told == standing) return {};
  ++lane.order_wrong;
  if (mends != nullptr) mends->push_back({RowMend::Kind::kPutOrder, number, standing, key});
  return {};
}

Status Recount::StepOrder(const StoreView& view, std::size_t rows_max, Mends* mends) {
  Part& lane = part();
  KeyRange range = OrderRange(lane.shelf, std::nullopt);
  if (!after_.empty()) range.begin = after_;
  KeyWalk rows(view, Table::kOrder, std::move(range));
  bool is_over = false;
  for (std::size_t count = 0; count < rows_max; ++count, rows.Next()) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    is_over = !*has_next;
    if (is_over) break;
    const auto place = MessageOfOrderKey(rows.key());
    if (!place) return DamagedKey();
    ++lane.order_rows;
    WHARF_RETURN_IF_ERROR(CountLost(view, place->number, DecodeOrder(rows.value())));
    if (mends == nullptr) continue;
    WHARF_RETURN_IF_ERROR(MendOrder(view, place->session, place->number, rows.value(), *mends));
  }
  after_ = rows.at();
  lane.damaged_places += rows.damaged_places();
  if (!is_over) return {};
  EndPhase(is_dead_letter_ ? Phase::kScheduled : Phase::kMessages);
  is_dead_letter_ = true;
  return {};
}

// How a message stands; what cannot be read of that was mended before, if it was needed.
Result<Standing> Recount::StandingOf(const StoreView& view, const Shelf& shelf,
                                     SequenceNumber number) {
  for (const Standing standing : kStandings) {
    const auto row = view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, standing, number));
    if (!row.ok() && !row.status().is_damage()) return row.status();
    if (row.ok() && *row) return standing;
  }
  return Standing::kFresh;
}

// A message that cannot be read, and of which only its row in `order` tells that it waits.
Status Recount::CountLost(const StoreView& view, SequenceNumber number,
                          const Result<Standing>& standing) {
  Part& lane = part();
  if (lane.damage_noted[kOfMessages] == SequenceNumber()) return {};
  const auto record = view.Get(IdOf(Table::kMessages), MessageKey(lane.shelf, number));
  if (!record.status().is_damage()) return record.status();
  const Result<Standing> stands = StandingOf(view, lane.shelf, number);
  if (!stands.ok() || *stands != Standing::kFresh) return stands.status();
  ++messages_;
  ++lane.messages_unreadable;
  ++lane.order_of_messages;
  ++lane.counted.of(standing.ok() ? *standing : Standing::kFresh);
  return {};
}

// Rows that messages need were put right before; what has no message, or one that stands elsewhere,
// goes. The first that waits in a session is offered: an offer too many is found out.
Status Recount::MendOrder(const StoreView& view, const std::string& session, SequenceNumber number,
                          std::string_view value, Mends& mends) {
  const Shelf& shelf = part().shelf;
  const Result<Standing> standing = DecodeOrder(value);
  const Result<MessageRow> message =
      ToMessageRow(number, view.Get(IdOf(Table::kMessages), MessageKey(shelf, number)));
  if (!message.ok()) return message.status();
  // A receiver will come to it, and then it is put into quarantine.
  if (message->is_there && !message->is_readable) return {};
  const Result<Standing> stands = StandingOf(view, shelf, number);
  if (!stands.ok()) return stands.status();
  const bool is_right = message->is_there && standing.ok() && *stands == *standing &&
                        message->facts.ordering_key() == session &&
                        WaitsInOrder(*standing, message->facts);
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

// What cannot be read is not activated, so nobody counts it either.
Status Recount::StepScheduled(const StoreView& view, std::size_t rows_max) {
  const SequenceNumber floor = main_.stored ? main_.stored->scheduled_floor : SequenceNumber(1);
  const SequenceNumber from = std::max(from_, floor);
  RowWalk rows(
      view, Table::kScheduled, ScheduledRange(record_.id, from, kNumberEnd), from,
      [this](SequenceNumber number) { return ScheduledKey(record_.id, number); },
      NumberOfScheduledKey);
  for (std::size_t count = 0; count < rows_max; ++count) {
    const auto next = rows.Next();
    if (!next.ok()) return next.status();
    NoteDamage(main_, kOfScheduled, rows);
    const auto guess = FirstGiven(std::max(from_, rows.damage_begin()), rows.damage_end());
    const SequenceNumber number = std::min(next->value_or(kNumberEnd), guess.value_or(kNumberEnd));
    if (number == kNumberEnd) {
      EndPhase(Phase::kStates);
      return {};
    }
    from_ = number.Next();
    const Result<MessageRow> message = ToMessageRow(number, rows.Take(number));
    if (!message.ok()) return message.status();
    if (!message->is_there) continue;
    NoteNumber(number);
    if (!message->is_readable) {
      ++main_.scheduled_unreadable;
      continue;
    }
    ++messages_;
    ++main_.counted.scheduled;
    main_.counted.scheduled_bytes += message->facts.size;
  }
  return {};
}

Status Recount::StepStates(const StoreView& view, std::size_t rows_max) {
  KeyRange range = SessionRange(record_.id, std::nullopt);
  if (!after_.empty()) range.begin = after_;
  KeyWalk rows(view, Table::kSessionState, std::move(range));
  bool is_over = false;
  for (std::size_t count = 0; count < rows_max; ++count, rows.Next()) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    is_over = !*has_next;
    if (is_over) break;
    const Result<SessionState> state = DecodeSessionState(rows.value());
    if (!SessionOfKey(rows.key())) return DamagedKey();
    if (!state.ok()) return state.status();
    main_.counted.session_state_bytes += static_cast<std::int64_t>(state->bytes.size());
  }
  after_ = rows.at();
  main_.damaged_places += rows.damaged_places();
  if (is_over) EndPhase(Phase::kEnd);
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
  counters.quarantined = counted.quarantined;
  counters.bytes = counted.bytes;
  counters.generation = lane.shelf.generation;
  counters.is_uncertain = lane.damaged_places > 0 || lane.messages_unreadable > 0;
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
  compare("damaged_places", 0, lane.damaged_places);
  compare("messages_unreadable", 0, lane.messages_unreadable);
  compare("scheduled_messages_unreadable", 0, lane.scheduled_unreadable);
  compare("delivery_rows_without_message", 0, lane.rows_without_message);
  compare("delivery_rows_too_many", 0, lane.rows_too_many);
  compare("delivery_rows_unreadable", 0, lane.rows_unreadable);
  compare("delivery_rows_missing", 0, lane.rows_missing);
  compare("order_rows_missing", 0, lane.order_wrong);
  // Where no row was passed over.
  const std::int64_t order_rows =
      lane.damaged_places > 0 ? lane.order_of_messages : lane.order_rows;
  compare("order_rows_without_message", 0, order_rows - lane.order_of_messages);
  if (!lane.stored) return;
  const LaneCounters counted = CountersOf(kind);
  const LaneCounters& stored = *lane.stored;
  compare("fresh_message_count", stored.fresh, counted.fresh);
  compare("locked_message_count", stored.locked, counted.locked);
  compare("returned_message_count", stored.returned, counted.returned);
  compare("delayed_message_count", stored.delayed, counted.delayed);
  compare("deferred_message_count", stored.deferred, counted.deferred);
  compare("quarantined_message_count", stored.quarantined, counted.quarantined);
  // Bytes of messages that cannot be read are counted as long as there are any others.
  const bool may_be_unknown = stored.is_uncertain || counted.quarantined > 0;
  const bool has_unknown = may_be_unknown && stored.bytes >= counted.bytes;
  compare("size_in_bytes", has_unknown ? counted.bytes : stored.bytes, counted.bytes);
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
