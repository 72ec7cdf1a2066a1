#include "broker/reading/due_reader.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "broker/core/changes/shared_hint_row.h"
#include "broker/reading/lost_hints.h"
#include "broker/reading/message_reader.h"
#include "broker/reading/run_walk.h"
#include "broker/reading/scheduled_reader.h"
#include "broker/reading/shared_hint_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/shelf_spans.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Messages that are looked up together, at first and at most: as many as the bound in bytes will
// probably let through.
constexpr std::size_t kTogetherAtFirst = 8;
constexpr std::size_t kTogetherMax = 128;

using Messages = std::vector<DueMessage>;

// By its number, past what cannot be read.
Status FindScheduledAlone(const StoreView& view, DueMessage& due) {
  Result<ScheduledLook> look =
      LookAtScheduled(view, due.hint.lane.entity, due.hint.number, Bodies::kLeave);
  if (!look.ok()) return look.status();
  if (look->message != nullptr) {
    due.found.emplace();
    due.found->message = std::move(look->message);
  } else if (look->is_there()) {
    due.unreadable = {due.hint.time, std::move(look->unreadable), std::move(look->record)};
  }
  return {};
}

Status FindScheduled(const StoreView& view, Messages& messages, std::size_t begin,
                     const std::vector<SequenceNumber>& numbers) {
  Result<Contents> found = ReadScheduledRows(view, messages[begin].hint.lane.entity, numbers);
  if (found.status().is_damage()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      WHARF_RETURN_IF_ERROR(FindScheduledAlone(view, messages[begin + i]));
    }
    return {};
  }
  if (!found.ok()) return found.status();
  for (std::size_t i = begin; i < begin + numbers.size(); ++i) {
    const auto message = found->find(messages[i].hint.number);
    if (message == found->end()) continue;
    messages[i].found.emplace();
    messages[i].found->message = message->second;
  }
  return {};
}

Status FindWaiting(const StoreView& view, Messages& messages, std::size_t begin,
                   const std::vector<SequenceNumber>& numbers) {
  Result<FoundMessages> found = ReadFound(view, messages[begin].hint.lane, numbers, false);
  if (IsContradiction(found.status())) {
    for (std::size_t i = 0; i < numbers.size(); ++i) messages[begin + i].is_contradicted = true;
    return {};
  }
  if (!found.ok()) return found.status();
  for (std::size_t i = begin; i < begin + numbers.size(); ++i) {
    messages[i].found = found->at(messages[i].hint.number);
  }
  return {};
}

// Hints that follow each other and speak of the same lane are looked up together.
Status FindAll(const StoreView& view, Messages& messages, std::size_t begin) {
  while (begin < messages.size()) {
    const DueHint& first = messages[begin].hint;
    std::vector<SequenceNumber> numbers;
    for (std::size_t i = begin; i < messages.size() && messages[i].hint.kind == first.kind &&
                                messages[i].hint.lane == first.lane;
         ++i) {
      numbers.push_back(messages[i].hint.number);
    }
    const bool is_scheduled = first.kind == DueKind::kActivate;
    WHARF_RETURN_IF_ERROR(is_scheduled ? FindScheduled(view, messages, begin, numbers)
                                       : FindWaiting(view, messages, begin, numbers));
    begin += numbers.size();
  }
  return {};
}

std::size_t BytesOf(const Messages& messages, std::size_t begin) {
  std::size_t bytes = 0;
  for (std::size_t i = begin; i < messages.size(); ++i) {
    if (messages[i].unreadable) bytes += messages[i].unreadable->record.size();
    if (!messages[i].found) continue;
    bytes += static_cast<std::size_t>(messages[i].found->message->facts.held_size());
  }
  return bytes;
}

// The hints of a place in their order. Where they cannot be read, those that can be found without.
class HintWalk {
 public:
  HintWalk(const StoreView& view, const DuePlace& place)
      : view_(view),
        place_(place),
        rows_(view.Scan(IdOf(Table::kDue), DueRange(place.bucket, place.from, place.horizon))),
        at_(place.from.time) {}

  // The one that is next; nothing at the end.
  Result<std::optional<DueHint>> Peek() {
    while (found_.empty() && HasMetDamage(*rows_) && at_ < place_.horizon) {
      WHARF_RETURN_IF_ERROR(PassDamage());
    }
    if (!found_.empty()) return std::optional(found_.front());
    if (!rows_->valid()) return std::optional<DueHint>();
    const auto hint = HintOfDueKey(rows_->key());
    if (!hint) return DamagedKey();
    return hint;
  }

  // Of the one that is next, if messages share it.
  Result<SharedHint> shared(const DueHint& hint) const {
    return DecodeSharedHint(hint, rows_->value());
  }

  void Pass(const DueHint& hint) {
    passed_ = hint;
    if (!found_.empty()) return found_.pop_front();
    at_ = hint.time;
    rows_->Next();
  }

  // Not that it has met damage.
  Status status() const { return HasMetDamage(*rows_) ? Status::Ok() : rows_->status(); }
  const Status& lost() const { return lost_; }

 private:
  // The cursor stands behind the damage then, or cannot go on.
  Status PassDamage() {
    lost_ = rows_->status();
    const Timestamp begin = at_;
    const auto key_of = [this](SequenceNumber micros) {
      const DueHint first{.time = TimeOf(micros), .kind = DueKind{}, .lane = {}, .number = {}};
      return DueRange(place_.bucket, first, place_.horizon).begin;
    };
    at_ = TimeOf(wharf::PassDamage(*rows_, key_of, NumberOf(begin), NumberOf(place_.horizon)));
    Result<std::vector<DueHint>> found = FindLostHints(view_, place_.bucket, begin, at_);
    if (!found.ok()) return found.status();
    std::erase_if(*found, [this](const DueHint& hint) {
      return passed_ ? hint <= *passed_ : hint < place_.from;
    });
    found_.assign(found->begin(), found->end());
    return {};
  }

  static Timestamp TimeOf(SequenceNumber micros) {
    return Timestamp{Duration(static_cast<std::int64_t>(micros.value()))};
  }
  static SequenceNumber NumberOf(Timestamp time) {
    return SequenceNumber(static_cast<std::uint64_t>(time.time_since_epoch().count()));
  }

  const StoreView& view_;
  const DuePlace& place_;
  const std::unique_ptr<StoreCursor> rows_;
  std::deque<DueHint> found_;
  // Up to where the rows were walked, or passed because they cannot be read.
  Timestamp at_;
  std::optional<DueHint> passed_;
  Status lost_;
};

// A shared hint takes a place, too: of many all messages may be gone.
std::size_t PlacesIn(const DueBatch& batch) { return batch.messages.size() + batch.shared.size(); }

std::size_t ShareOf(std::size_t all, std::size_t sharing) { return (all + sharing - 1) / sharing; }

DueBounds ShareOf(const DueBounds& all, std::size_t sharing) {
  DueBounds share = all;
  for (const auto bound : {&DueBounds::messages, &DueBounds::bytes, &DueBounds::runs}) {
    share.*bound = ShareOf(all.*bound, sharing);
  }
  for (const auto bound : {&RowsWalked::rows, &RowsWalked::bytes}) {
    share.walked.*bound = ShareOf(all.walked.*bound, sharing);
  }
  return share;
}

void TakeAway(const DueBatch& batch, DueBounds& bounds) {
  bounds.messages -= std::min(bounds.messages, PlacesIn(batch));
  bounds.bytes -= std::min(bounds.bytes, BytesOf(batch.messages, 0));
  bounds.runs -= std::min(bounds.runs, batch.runs.size());
  bounds.walked.rows -= std::min(bounds.walked.rows, batch.walked.rows);
  bounds.walked.bytes -= std::min(bounds.walked.bytes, batch.walked.bytes);
}

// Makes a batch of hints that are due.
class BatchMaker {
 public:
  BatchMaker(const StoreView& view, Timestamp now, const DueBounds& bounds)
      : view_(view), now_(now), bounds_(bounds) {}

  bool is_full() const {
    return PlacesIn(batch_) >= bounds_.messages || bytes_ >= bounds_.bytes ||
           batch_.runs.size() >= bounds_.runs || batch_.walked.rows >= bounds_.walked.rows ||
           batch_.walked.bytes >= bounds_.walked.bytes;
  }

  Status Add(const DueHint& hint) {
    batch_.messages.push_back({hint, std::nullopt, {}});
    batch_.last = hint;
    return batch_.messages.size() == looked_up_ + together_ ? LookUp() : Status::Ok();
  }

  // What was not brought is brought by the next read; until then everything behind it waits.
  Status AddShared(const SharedHint& shared) {
    WHARF_RETURN_IF_ERROR(LookUp());
    if (AddInRuns(shared)) return {};
    Result<SharedMessages> read = ReadShared(view_, shared, now_, Left());
    if (IsContradiction(read.status())) return AddContradicted(RowOf(shared));
    if (!read.ok()) return read.status();
    AddMembers(shared, std::move(read->messages));
    EndShared(shared, std::move(read->rest));
    return {};
  }

  // It stays, and is looked for again when its lane was recounted.
  Status AddContradicted(const DueHint& hint) {
    batch_.messages.push_back({hint, std::nullopt, {}, std::nullopt, true});
    batch_.last = hint;
    looked_up_ = batch_.messages.size();
    return {};
  }

  // Of a hint that tells nothing else any more.
  void AddLost(const DueHint& hint, Status why) {
    batch_.shared.push_back({{hint, hint.number, {}, {}}, std::nullopt});
    batch_.last = hint;
    batch_.lost = std::move(why);
  }

  bool is_cut() const { return batch_.next != kNever; }
  void Cut(Timestamp next) { batch_.next = next; }

  Result<DueBatch> Finish() {
    WHARF_RETURN_IF_ERROR(LookUp());
    return std::move(batch_);
  }
  void NoteLost(const Status& lost) {
    if (!lost.ok()) batch_.lost = lost;
  }

 private:
  DueBounds Left() const {
    DueBounds left = bounds_;
    left.messages -= PlacesIn(batch_);
    left.bytes = BytesLeft();
    left.runs -= batch_.runs.size();
    left.walked.rows -= batch_.walked.rows;
    left.walked.bytes -= batch_.walked.bytes;
    return left;
  }

  // Whether it could: what is damaged is passed by who reads message by message. Two hints may mean
  // the same messages; the lane takes only the first run of them.
  bool AddInRuns(const SharedHint& shared) {
    if (bounds_.in_runs == nullptr) return false;
    const auto lane = bounds_.in_runs->find(shared.hint.lane);
    if (lane == bounds_.in_runs->end()) return false;
    Result<ExpiredMessages> read = RunWalk(view_, shared, now_, Left(), lane->second).Run();
    if (!read.ok()) return false;
    const std::size_t index = batch_.shared.size();
    for (MessageRun& run : read->runs) {
      batch_.runs.push_back({shared.hint.lane, std::move(run), index});
    }
    batch_.walked.rows += read->walked.rows;
    batch_.walked.bytes += read->walked.bytes;
    AddMembers(shared, std::move(read->messages));
    EndShared(shared, std::move(read->rest));
    return true;
  }

  void AddMembers(const SharedHint& shared, std::vector<FoundMessage> members) {
    const std::size_t index = batch_.shared.size();
    for (FoundMessage& found : members) {
      if (!IsBrought(*found.message, shared.hint.lane)) AddMember(shared, index, std::move(found));
    }
    bytes_ += BytesOf(batch_.messages, looked_up_);
    looked_up_ = batch_.messages.size();
  }

  void EndShared(const SharedHint& shared, std::optional<SharedHint> rest) {
    batch_.last = RowOf(shared);
    if (rest && rest->hint.time <= now_) batch_.next = rest->hint.time;
    batch_.shared.push_back({shared, std::move(rest)});
  }

  void AddMember(const SharedHint& shared, std::size_t index, FoundMessage found) {
    const StoredMessage& message = *found.message;
    const DueHint hint{message.facts.expires_at, DueKind::kExpire, shared.hint.lane,
                       message.number};
    batch_.messages.push_back({hint, std::move(found), {}, index});
  }

  // Two hints may mean the same message: a lane that was loaded anew has begun another one.
  bool IsBrought(const StoredMessage& message, const Shelf& lane) const {
    return std::any_of(batch_.shared.begin(), batch_.shared.end(), [&](const DueShared& each) {
      return each.shared.hint.lane == lane && IsMeant(each.shared, message) &&
             (!each.rest || message.number < each.rest->hint.number);
    });
  }

  Status LookUp() {
    WHARF_RETURN_IF_ERROR(FindAll(view_, batch_.messages, looked_up_));
    bytes_ += BytesOf(batch_.messages, looked_up_);
    looked_up_ = batch_.messages.size();
    const std::size_t each =
        std::max<std::size_t>(bytes_ / std::max<std::size_t>(looked_up_, 1), 1);
    const std::size_t more = std::min(together_ * 2, kTogetherMax);
    together_ = std::clamp<std::size_t>(BytesLeft() / each, 1, more);
    return {};
  }

  std::size_t BytesLeft() const { return bounds_.bytes - std::min(bytes_, bounds_.bytes); }

  const StoreView& view_;
  const Timestamp now_;
  const DueBounds bounds_;
  DueBatch batch_;
  std::size_t bytes_ = 0;
  std::size_t looked_up_ = 0;
  std::size_t together_ = kTogetherAtFirst;
};

Status AddNext(const HintWalk& walk, const DueHint& hint, BatchMaker& maker) {
  if (hint.kind != DueKind::kExpireShared) return maker.Add(hint);
  const Result<SharedHint> shared = walk.shared(hint);
  if (shared.ok()) return maker.AddShared(*shared);
  maker.AddLost(hint, shared.status());
  return {};
}

}  // namespace

Result<DueBatch> ReadDue(const StoreView& view, const DuePlace& place, Timestamp now,
                         const DueBounds& bounds) {
  BatchMaker maker(view, now, bounds);
  HintWalk walk(view, place);
  while (!maker.is_cut()) {
    const Result<std::optional<DueHint>> next = walk.Peek();
    if (!next.ok()) return next.status();
    if (!*next) break;
    const DueHint& hint = **next;
    if (hint.time > now || maker.is_full()) {
      maker.Cut(hint.time);
    } else {
      WHARF_RETURN_IF_ERROR(AddNext(walk, hint, maker));
      walk.Pass(hint);
    }
  }
  WHARF_RETURN_IF_ERROR(walk.status());
  maker.NoteLost(walk.lost());
  return maker.Finish();
}

std::vector<Result<DueBatch>> ReadAllDue(const StoreView& view, const std::vector<DuePlace>& places,
                                         Timestamp now, DueBounds bounds) {
  std::vector<Result<DueBatch>> batches;
  for (const DuePlace& place : places) {
    const std::size_t sharing = places.size() - batches.size();
    batches.push_back(ReadDue(view, place, now, ShareOf(bounds, sharing)));
    if (batches.back().ok()) TakeAway(*batches.back(), bounds);
  }
  return batches;
}

}  // namespace wharf
