#include "broker/reading/due_reader.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "broker/reading/lost_hints.h"
#include "broker/reading/message_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/shelf_spans.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Messages that are looked up together, at first and at most: as many as the bound in bytes will
// probably let through.
constexpr std::size_t kTogetherAtFirst = 8;
constexpr std::size_t kTogetherMax = 128;

using Messages = std::vector<DueMessage>;

Status FindScheduled(const StoreView& view, Messages& messages, std::size_t begin,
                     const std::vector<SequenceNumber>& numbers) {
  Result<Contents> found = ReadScheduledRows(view, messages[begin].hint.lane.entity, numbers);
  if (found.status().is_damage() && numbers.size() > 1) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      WHARF_RETURN_IF_ERROR(FindScheduled(view, messages, begin + i, {numbers[i]}));
    }
    return {};
  }
  if (found.status().is_damage()) {
    messages[begin].unreadable = found.status().message();
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

std::size_t ShareOf(std::size_t all, std::size_t sharing) { return (all + sharing - 1) / sharing; }

}  // namespace

Result<DueBatch> ReadDue(const StoreView& view, const DuePlace& place, Timestamp now,
                         const DueBounds& bounds) {
  DueBatch batch;
  std::size_t bytes = 0;
  std::size_t looked_up = 0;
  std::size_t together = kTogetherAtFirst;
  const auto look_up = [&]() -> Status {
    WHARF_RETURN_IF_ERROR(FindAll(view, batch.messages, looked_up));
    bytes += BytesOf(batch.messages, looked_up);
    looked_up = batch.messages.size();
    const std::size_t each = std::max<std::size_t>(bytes / std::max<std::size_t>(looked_up, 1), 1);
    const std::size_t left = bounds.bytes - std::min(bytes, bounds.bytes);
    together = std::clamp<std::size_t>(left / each, 1, std::min(together * 2, kTogetherMax));
    return {};
  };
  HintWalk walk(view, place);
  for (;;) {
    const Result<std::optional<DueHint>> next = walk.Peek();
    if (!next.ok()) return next.status();
    if (!*next) break;
    const DueHint& hint = **next;
    if (batch.messages.size() == looked_up + together) WHARF_RETURN_IF_ERROR(look_up());
    if (hint.time > now || batch.messages.size() >= bounds.messages || bytes >= bounds.bytes) {
      batch.next = hint.time;
      break;
    }
    batch.messages.push_back({hint, std::nullopt, {}});
    walk.Pass(hint);
  }
  WHARF_RETURN_IF_ERROR(walk.status());
  WHARF_RETURN_IF_ERROR(look_up());
  batch.lost = walk.lost();
  return batch;
}

std::vector<Result<DueBatch>> ReadAllDue(const StoreView& view, const std::vector<DuePlace>& places,
                                         Timestamp now, DueBounds bounds) {
  std::vector<Result<DueBatch>> batches;
  for (const DuePlace& place : places) {
    const std::size_t sharing = places.size() - batches.size();
    const DueBounds share{ShareOf(bounds.messages, sharing), ShareOf(bounds.bytes, sharing)};
    batches.push_back(ReadDue(view, place, now, share));
    if (!batches.back().ok()) continue;
    const Messages& messages = batches.back()->messages;
    bounds.messages -= messages.size();
    bounds.bytes -= std::min(bounds.bytes, BytesOf(messages, 0));
  }
  return batches;
}

}  // namespace wharf
