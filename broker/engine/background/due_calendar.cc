#include "broker/engine/background/due_calendar.h"

#include <algorithm>

namespace wharf {
namespace {

constexpr Duration kLookahead = std::chrono::seconds(1);

}  // namespace

DueCalendar::DueCalendar(const std::vector<DueHandled>& handled) {
  for (Entry& entry : entries_) {
    entry.position.kind = DueKind{};
    entry.lookahead = kLookahead;
  }
  for (const DueHandled& each : handled) {
    entries_[each.bucket].position.time = each.time;
    Note({each.bucket, each.time});
  }
}

void DueCalendar::Note(const DueTime& due) {
  Entry& entry = entries_[due.bucket];
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
  const auto was_served = [this](Bucket bucket) { return !entries_[bucket].was_left_out; };
  if (!std::all_of(due.begin(), due.end(), was_served)) std::erase_if(due, was_served);
  std::vector<DuePlace> places;
  for (auto bucket = due.rbegin(); bucket != due.rend(); ++bucket) {
    Entry& entry = entries_[*bucket];
    times_.erase({entry.next, *bucket});
    entry.next = kNever;
    places.push_back({*bucket, entry.position, After(now, entry.lookahead)});
  }
  return places;
}

void DueCalendar::GoOn(const DuePlace& place, const Look& look) {
  Entry& entry = entries_[place.bucket];
  if (look.position) entry.position = *look.position;
  entry.was_left_out = look.was_left_out;
  const bool is_found = look.next != kNever || place.horizon == kNever;
  entry.lookahead = is_found ? kLookahead : std::min(entry.lookahead * 2, kUnlimited / 2);
  Note({place.bucket, is_found ? look.next : place.horizon});
}

}  // namespace wharf
