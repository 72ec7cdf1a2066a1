#include "broker/reading/peek_reader.h"

#include <algorithm>

#include "broker/reading/careful_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// What one page looks at, whatever it shows.
constexpr std::size_t kPeekedRowsMax = 4096;
// What stands around a property, and around a message, where they are told.
constexpr std::size_t kPropertyFrameBytes = 16;
constexpr std::size_t kPlaceFrameBytes = 256;

bool Shows(PeekFilter filter, Standing standing) {
  switch (filter) {
    case PeekFilter::kAll:
      return true;
    case PeekFilter::kActive:
      return standing != Standing::kDeferred && standing != Standing::kQuarantined;
    case PeekFilter::kDelayed:
      return standing == Standing::kDelayed;
    case PeekFilter::kDeferred:
      return standing == Standing::kDeferred;
    case PeekFilter::kScheduled:
      return false;
    case PeekFilter::kQuarantined:
      return standing == Standing::kQuarantined;
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
    bytes_ += ShownBytesOf(*peeked.message, peeked.delivery, range_.bodies);
    if (page_.messages.size() == range_.messages_max ||
        (!page_.messages.empty() && bytes_ > range_.bytes_max)) {
      return true;
    }
    Result<MessagePtr> shown_so = range_.bodies == Bodies::kLoad
                                      ? WithBody(view_, std::move(peeked.message))
                                      : Result<MessagePtr>(WithoutBody(peeked.message));
    if (!shown_so.ok()) return shown_so.status();
    peeked.message = *std::move(shown_so);
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
                               standing.available_at, is_scheduled,
                               std::move(standing.unreadable)});
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

// The same where something cannot be read, or is in quarantine: message by message.
class CarefulPageMaker {
 public:
  CarefulPageMaker(const StoreView& view, const PeekRange& range)
      : view_(view),
        range_(range),
        filter_(range.condition),
        walks_{NumberWalk::OfMessages(view, range.shelf, range.from, kNumberEnd,
                                      NumberWalk::InDamage::kPass),
               NumberWalk::OfQuarantine(view, range.shelf, range.from),
               NumberWalk::OfScheduled(view, range.shelf.entity,
                                       std::max(range.from, range.scheduled_floor), kNumberEnd)} {}

  Result<PeekPage> Make() {
    const bool is_scheduled_shown =
        range_.shelf.kind == LaneKind::kMain &&
        (range_.filter == PeekFilter::kAll || range_.filter == PeekFilter::kScheduled);
    for (std::size_t i = 0; i < kWalks; ++i) {
      if (i != kScheduled || is_scheduled_shown) next_[i] = walks_[i].Next();
    }
    for (std::size_t rows = 0;; ++rows) {
      const std::optional<SequenceNumber> number = Lowest();
      if (!number) break;
      const bool goes_on = rows < kPeekedRowsMax && !filter_.is_spent();
      const Result<bool> is_full = goes_on ? Add(*number) : Result<bool>(true);
      if (!is_full.ok()) return is_full.status();
      if (*is_full) {
        page_.next = *number;
        break;
      }
      Pass(*number);
    }
    for (const NumberWalk& walk : walks_) WHARF_RETURN_IF_ERROR(walk.status());
    return std::move(page_);
  }

 private:
  static constexpr std::size_t kScheduled = 2;
  static constexpr std::size_t kWalks = 3;

  std::optional<SequenceNumber> Lowest() const {
    std::optional<SequenceNumber> lowest;
    for (const auto& each : next_) {
      if (each && (!lowest || *each < *lowest)) lowest = each;
    }
    return lowest;
  }

  void Pass(SequenceNumber number) {
    for (std::size_t i = 0; i < kWalks; ++i) {
      if (next_[i] == number) next_[i] = walks_[i].Next();
    }
  }

  // Whether the page was full before this message.
  Result<bool> Add(SequenceNumber number) {
    const bool is_scheduled = next_[kScheduled] == number;
    Result<std::optional<FoundMessage>> found =
        is_scheduled ? LookAtScheduled(number) : LookAt(view_, range_.shelf, number, range_.bodies);
    if (!found.ok()) return found.status();
    if (!*found || !Takes(**found, is_scheduled)) return false;
    bytes_ += ShownBytesOf(*(*found)->message, (*found)->delivery, range_.bodies);
    if (page_.messages.size() == range_.messages_max ||
        (!page_.messages.empty() && bytes_ > range_.bytes_max)) {
      return true;
    }
    MessagePtr message = std::move((*found)->message);
    if (range_.bodies == Bodies::kLeave) message = WithoutBody(message);
    page_.messages.push_back({std::move(message), std::move((*found)->delivery), (*found)->standing,
                              (*found)->available_at, is_scheduled,
                              std::move((*found)->unreadable)});
    return false;
  }

  Result<std::optional<FoundMessage>> LookAtScheduled(SequenceNumber number) const {
    Result<Contents> read = ReadScheduledRows(view_, range_.shelf.entity, {number});
    if (!read.ok() && !read.status().is_damage()) return read.status();
    FoundMessage found;
    if (read.ok() && Has(*read, number)) {
      found.message = read->at(number);
    } else {
      auto stub = std::make_shared<StoredMessage>();
      stub->number = number;
      found.message = std::move(stub);
      found.unreadable = read.status().message();
    }
    return std::optional(std::move(found));
  }

  // What cannot be read is in no session and fits no filter.
  bool Takes(const FoundMessage& found, bool is_scheduled) {
    if (!is_scheduled && !Shows(range_.filter, found.standing)) return false;
    const bool is_chosen = range_.session_id || range_.condition.filter;
    if (!found.is_readable()) return !is_chosen;
    if (range_.session_id && found.message->message.session_id != range_.session_id) return false;
    const MessageState state = is_scheduled ? MessageState::kScheduled : StateOf(found.standing);
    return filter_.Takes(*found.message, found.delivery, state);
  }

  const StoreView& view_;
  const PeekRange& range_;
  PageFilter filter_;
  NumberWalk walks_[kWalks];
  std::optional<SequenceNumber> next_[kWalks];
  PeekPage page_;
  std::size_t bytes_ = 0;
};

// A page of a scan, until it has cost enough or taken enough.
class ScanMaker {
 public:
  explicit ScanMaker(const ScanRange& range) : range_(range), filter_(range.condition) {}

  // Whether the message at this number is looked at; if not, the page goes on there.
  bool LooksAt(SequenceNumber number) {
    const bool is_full = page_.looked_at == range_.rows_max ||
                         page_.messages.size() >= range_.taken_max ||
                         page_.taken_bytes >= range_.taken_bytes_max || filter_.is_spent();
    if (is_full) {
      page_.next = number;
    } else {
      ++page_.looked_at;
    }
    return !is_full;
  }
  bool Takes(const StoredMessage& message, const Delivery& delivery, Standing standing) {
    return filter_.Takes(message, delivery, StateOf(standing));
  }
  void Take(FoundMessage found) {
    page_.taken_bytes += ToldBytesOf(*found.message, found.delivery);
    page_.messages.push_back(std::move(found));
  }
  ScanPage page() && { return std::move(page_); }

 private:
  const ScanRange& range_;
  PageFilter filter_;
  ScanPage page_;
};

Result<ScanPage> ScanCarefully(const StoreView& view, const ScanRange& range) {
  ScanMaker scan(range);
  NumberWalk walk = NumberWalk::OfMessages(view, range.shelf, range.from, range.until,
                                           NumberWalk::InDamage::kPass);
  while (const std::optional<SequenceNumber> number = walk.Next()) {
    if (!scan.LooksAt(*number)) break;
    Result<std::optional<FoundMessage>> found = LookAt(view, range.shelf, *number, Bodies::kLeave);
    if (!found.ok()) return found.status();
    if (!*found || !(*found)->is_readable()) continue;
    if (!scan.Takes(*(*found)->message, (*found)->delivery, (*found)->standing)) continue;
    scan.Take(**std::move(found));
  }
  WHARF_RETURN_IF_ERROR(walk.status());
  return std::move(scan).page();
}

Result<ScanPage> ScanRows(const StoreView& view, const ScanRange& range) {
  ScanMaker scan(range);
  StandingLookup standings(view, range.shelf, range.from);
  MessageCursor rows(view, IdOf(Table::kMessages),
                     MessageRange(range.shelf, range.from, range.until), Bodies::kLeave);
  for (; rows.valid(); rows.Next()) {
    const Result<SequenceNumber> number = rows.number();
    if (!number.ok()) return number.status();
    if (!scan.LooksAt(*number)) break;
    Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    Result<StandingRow> row = standings.Find(*number);
    if (!row.ok()) return row.status();
    if (!scan.Takes(**message, row->delivery, row->standing)) continue;
    scan.Take({row->standing, std::move(row->delivery), *std::move(message), row->available_at,
               std::move(row->unreadable)});
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  return std::move(scan).page();
}

}  // namespace

Result<PeekPage> ReadPeek(const StoreView& view, const PeekRange& range) {
  if (!range.has_quarantined) {
    Result<PeekPage> page = PageMaker(view, range).Make();
    if (!page.status().is_damage()) return page;
  }
  return CarefulPageMaker(view, range).Make();
}

Result<ScanPage> ScanLane(const StoreView& view, const ScanRange& range) {
  Result<ScanPage> page = ScanRows(view, range);
  return page.status().is_damage() ? ScanCarefully(view, range) : std::move(page);
}

std::size_t ToldBytesOf(const StoredMessage& message, const Delivery& delivery) {
  const PropertyMap& own = message.message.application_properties;
  const PropertyMap* const changed = delivery.changed_properties.get();
  const std::size_t count = own.size() + (changed == nullptr ? 0 : changed->size());
  return static_cast<std::size_t>(PropertiesSizeOf(message.message)) +
         (changed == nullptr ? 0 : SizeOf(*changed)) + count * kPropertyFrameBytes +
         kPlaceFrameBytes;
}

std::size_t ShownBytesOf(const StoredMessage& message, const Delivery& delivery, Bodies bodies) {
  return bodies == Bodies::kLoad ? static_cast<std::size_t>(message.facts.held_size())
                                 : ToldBytesOf(message, delivery);
}

}  // namespace wharf
