#include "broker/engine/background/due_calendar.h"

#include <algorithm>

namespace wharf {
namespace {

constexpr Duration kLookahead = std::chrono::seconds(1);

// Before all hints of that time.
DueHint BeginningOf(Timestamp time) {
  return {.time = time, .kind = DueKind{}, .lane = {}, .number = {}};
}

}  // namespace

DueCalendar::DueCalendar(const std::vector<DueHandled>& handled) {
  for (Entry& entry : entries_) {
    entry.position = BeginningOf({});
    entry.lookahead = kLookahead;
  }
  for (const DueHandled& each : handled) {
    entries_[each.bucket].position = BeginningOf(each.time);
    Note({each.bucket, each.time});
  }
}

// A hint for a time that was looked at already is looked for again.
void DueCalendar::Note(const DueTime& due) {
  Entry& entry = entries_[due.bucket];
  if (due.time < entry.position.time) entry.position = BeginningOf(due.time);
  if (due.time >= entry.next) return;
  times_.erase({entry.next, due.bucket});
  entry.next = due.time;
  times_.emplace(entry.next, due.bucket);
}

std::vector<DuePlace> DueCalendar::TakeDue(Timestamp now) {
  std::vector<Bucket> due;
  for (auto it = times_.begin(); it != times_.end() && it->first <= now; ++it) {
    due.push_back(it->second);
  }
  // Round the buckets from the one whose turn it is.
  std::sort(due.begin(), due.end(), [this](Bucket one, Bucket other) {
    return static_cast<Bucket>(one - turn_) < static_cast<Bucket>(other - turn_);
  });
  if (!due.empty()) turn_ = static_cast<Bucket>(due.front() + 1);
  std::vector<DuePlace> places;
  for (const Bucket bucket : due) {
    Entry& entry = entries_[bucket];
    times_.erase({entry.next, bucket});
    entry.next = kNever;
    places.push_back({bucket, entry.position, After(now, entry.lookahead)});
  }
  return places;
}

void DueCalendar::GoOn(const DuePlace& place, const Look& look) {
  Entry& entry = entries_[place.bucket];
  const Timestamp noted = entry.next;  // Meanwhile.
  if (look.position) entry.position = *look.position;
  if (noted < entry.position.time) entry.position = BeginningOf(noted);
  const bool is_found = look.next != kNever || place.horizon == kNever;
  entry.lookahead = is_found ? kLookahead : std::min(entry.lookahead * 2, kUnlimited / 2);
  Note({place.bucket, is_found ? look.next : place.horizon});
}

}  // namespace wharf
