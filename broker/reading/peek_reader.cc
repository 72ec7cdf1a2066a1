#include "broker/reading/peek_reader.h"

#include <algorithm>

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// What one page looks at, whatever it shows.
constexpr std::size_t kPeekedRowsMax = 4096;

bool Shows(PeekFilter filter, Standing standing) {
  switch (filter) {
    case PeekFilter::kAll:
      return true;
    case PeekFilter::kActive:
      return standing != Standing::kDeferred;
    case PeekFilter::kDelayed:
      return standing == Standing::kDelayed;
    case PeekFilter::kDeferred:
      return standing == Standing::kDeferred;
    case PeekFilter::kScheduled:
      return false;
  }
  return false;
}

// Takes messages in the order of their numbers until the page is full.
class PageMaker {
 public:
  PageMaker(const StoreView& view, const PeekRange& range)
      : view_(view),
        range_(range),
        filter_(range.condition),
        standings_(view, range.shelf, range.from),
        waiting_(view, IdOf(Table::kMessages), MessageRange(range.shelf, range.from),
                 Bodies::kLeave),
        scheduled_(view, IdOf(Table::kScheduled),
                   ScheduledRange(range.shelf.entity, std::max(range.from, range.scheduled_floor),
                                  kNumberEnd),
                   Bodies::kLeave),
        with_scheduled_(
            range.shelf.kind == LaneKind::kMain &&
            (range.filter == PeekFilter::kAll || range.filter == PeekFilter::kScheduled)) {}

  Result<PeekPage> Make() {
    for (std::size_t rows = 0;; ++rows) {
      Result<MessageCursor*> lowest = Lowest();
      if (!lowest.ok()) return lowest.status();
      if (*lowest == nullptr) break;
      const bool goes_on = rows < kPeekedRowsMax && !filter_.is_spent();
      const Result<bool> is_full = goes_on ? Add(**lowest) : Result<bool>(true);
      if (!is_full.ok()) return is_full.status();
      if (*is_full) {
        page_.next = *(*lowest)->number();
        break;
      }
      (*lowest)->Next();
    }
    WHARF_RETURN_IF_ERROR(waiting_.status());
    WHARF_RETURN_IF_ERROR(scheduled_.status());
    return std::move(page_);
  }

 private:
  // A message without its body; nothing if it is not to be shown.
  using Shown = std::optional<PeekedMessage>;

  // Of the two walks the one at the lower number; null at the end.
  Result<MessageCursor*> Lowest() {
    const bool with_waiting = range_.filter != PeekFilter::kScheduled && waiting_.valid();
    const bool with_scheduled = with_scheduled_ && scheduled_.valid();
    if (!with_waiting) return with_scheduled ? &scheduled_ : nullptr;
    if (!with_scheduled) return &waiting_;
    const Result<SequenceNumber> waiting = waiting_.number();
    if (!waiting.ok()) return waiting.status();
    const Result<SequenceNumber> scheduled = scheduled_.number();
    if (!scheduled.ok()) return scheduled.status();
    return *waiting < *scheduled ? &waiting_ : &scheduled_;
  }

  // Whether the page was full before this message.
  Result<bool> Add(const MessageCursor& row) {
    Result<Shown> shown = Look(row);
    if (!shown.ok()) return shown.status();
    if (!*shown) return false;
    PeekedMessage& peeked = **shown;
    bytes_ += static_cast<std::size_t>(peeked.message->facts.held_size());
    if (page_.messages.size() == range_.messages_max ||
        (!page_.messages.empty() && bytes_ > range_.bytes_max)) {
      return true;
    }
    Result<MessagePtr> whole = WithBody(view_, std::move(peeked.message));
    if (!whole.ok()) return whole.status();
    peeked.message = *std::move(whole);
    page_.messages.push_back(std::move(peeked));
    return false;
  }

  Result<Shown> Look(const MessageCursor& row) {
    const bool is_scheduled = &row == &scheduled_;
    StandingRow standing;
    if (!is_scheduled) {
      const Result<SequenceNumber> number = row.number();
      if (!number.ok()) return number.status();
      Result<StandingRow> found = standings_.Find(*number);
      if (!found.ok()) return found.status();
      standing = *std::move(found);
      if (!Shows(range_.filter, standing.standing)) return Shown();
    }
    Result<MessagePtr> message = row.message();
    if (!message.ok()) return message.status();
    if (range_.session_id && (*message)->message.session_id != range_.session_id) return Shown();
    const MessageState state = is_scheduled ? MessageState::kScheduled : StateOf(standing.standing);
    if (!filter_.Takes(**message, standing.delivery, state)) return Shown();
    return Shown(PeekedMessage{*std::move(message), std::move(standing.delivery), standing.standing,
                               standing.available_at, is_scheduled});
  }

  const StoreView& view_;
  const PeekRange& range_;
  PageFilter filter_;
  StandingLookup standings_;
  MessageCursor waiting_;
  MessageCursor scheduled_;
  const bool with_scheduled_;
  PeekPage page_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<PeekPage> ReadPeek(const StoreView& view, const PeekRange& range) {
  return PageMaker(view, range).Make();
}

Result<ScanPage> ScanLane(const StoreView& view, const ScanRange& range) {
  ScanPage page;
  PageFilter filter(range.condition);
  StandingLookup standings(view, range.shelf, range.from);
  MessageCursor rows(view, IdOf(Table::kMessages),
                     MessageRange(range.shelf, range.from, range.until), Bodies::kLeave);
  for (; rows.valid(); rows.Next()) {
    const Result<SequenceNumber> number = rows.number();
    if (!number.ok()) return number.status();
    if (page.looked_at == range.rows_max || filter.is_spent()) {
      page.next = *number;
      break;
    }
    ++page.looked_at;
    Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    Result<StandingRow> row = standings.Find(*number);
    if (!row.ok()) return row.status();
    if (!filter.Takes(**message, row->delivery, StateOf(row->standing))) continue;
    page.messages.push_back(
        {row->standing, std::move(row->delivery), *std::move(message), row->available_at});
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return page;
}

}  // namespace wharf
