#include "broker/core/changes/watch.h"

#include <algorithm>

namespace wharf {

bool NumberWatch::saw_any() const {
  return std::any_of(asked_.begin(), asked_.end(),
                     [](const std::shared_ptr<const bool>& has_changed) { return *has_changed; });
}

bool PageWatch::Saw(LaneId lane, SequenceNumber number) const {
  if (is_lost()) return true;
  const auto message = notes_->messages.find(std::pair(lane, number));
  if (message != notes_->messages.end() && message->second > begun_) return true;
  return SawAll(lane) ||
         SawSpan(lane, [number](const Span& noted) { return noted.Covers(number); });
}

bool PageWatch::SawAny(LaneId lane, const Span& span) const {
  return is_lost() || SawAll(lane) || SawMessageOf(lane, span) ||
         SawSpan(lane, [&span](const Span& noted) { return noted.Meets(span); });
}

bool PageWatch::SawAll(LaneId lane) const {
  const auto all = notes_->lanes.find(lane);
  return all != notes_->lanes.end() && all->second > begun_;
}

// Those in between that the span does not cover may be many, and older than the watch.
bool PageWatch::SawMessageOf(LaneId lane, const Span& span) const {
  const auto& messages = notes_->messages;
  auto noted = messages.lower_bound(std::pair(lane, span.first));
  const std::pair last(lane, span.last);
  for (std::size_t looks = 0; noted != messages.end() && noted->first <= last; ++noted) {
    const bool is_meant = noted->second > begun_ && span.Covers(noted->first.second);
    if (is_meant || ++looks > kLooksMax) return true;
  }
  return false;
}

template <typename IsMeant>
bool PageWatch::SawSpan(LaneId lane, IsMeant is_meant) const {
  const auto spans = notes_->spans.find(lane);
  if (spans == notes_->spans.end()) return false;
  const auto since =
      std::upper_bound(spans->second.begin(), spans->second.end(), begun_,
                       [](std::uint64_t begun, const auto& noted) { return begun < noted.first; });
  return std::any_of(since, spans->second.end(),
                     [&is_meant](const auto& noted) { return is_meant(noted.second); });
}

// A message that has changed is asked for anew by the next watch: for that one it has not.
std::shared_ptr<bool> Watches::Ask(Asked& asked, SequenceNumber number) {
  const auto [place, is_new] = asked.try_emplace(number);
  if (is_new) ++asked_count_;
  std::shared_ptr<bool> has_changed = place->second.lock();
  if (!has_changed || *has_changed) {
    place->second = has_changed = std::make_shared<bool>(false);
  }
  return has_changed;
}

NumberWatch Watches::Begin(LaneId lane, const std::vector<SequenceNumber>& numbers) {
  NumberWatch watch;
  if (numbers.empty()) return watch;
  if (asked_count_ >= sweep_at_) Sweep();
  watch.asked_.reserve(numbers.size());
  Asked& asked = asked_[lane];
  for (const SequenceNumber number : numbers) watch.asked_.push_back(Ask(asked, number));
  return watch;
}

PageWatch Watches::BeginPage() {
  PageWatch watch;
  std::shared_ptr<ChangeNotes> notes = notes_.lock();
  if (!notes) notes_ = notes = std::make_shared<ChangeNotes>();
  watch.begun_ = notes->last;
  watch.notes_ = std::move(notes);
  return watch;
}

void Watches::Mark(const std::weak_ptr<bool>& asked) {
  if (const auto has_changed = asked.lock()) *has_changed = true;
}

void Watches::Note(LaneId lane, SequenceNumber number) {
  if (const auto asked = asked_.find(lane); asked != asked_.end()) {
    const auto place = asked->second.find(number);
    if (place != asked->second.end()) Mark(place->second);
  }
  if (const auto notes = notes_.lock()) {
    notes->messages[std::pair(lane, number)] = ++notes->last;
    BoundNotes(*notes);
  }
}

template <typename IsMeant>
void Watches::MarkAll(LaneId lane, IsMeant is_meant) const {
  const auto asked = asked_.find(lane);
  if (asked == asked_.end()) return;
  for (const auto& [number, weak] : asked->second) {
    if (is_meant(number)) Mark(weak);
  }
}

void Watches::NoteSpan(LaneId lane, const Span& span) {
  MarkAll(lane, [&span](SequenceNumber number) { return span.Covers(number); });
  if (const auto notes = notes_.lock()) {
    notes->spans[lane].emplace_back(++notes->last, span);
    notes->span_bounds += 2 + span.exceptions.size();
    BoundNotes(*notes);
  }
}

void Watches::NoteAll(LaneId lane) {
  MarkAll(lane, [](SequenceNumber /*number*/) { return true; });
  if (const auto notes = notes_.lock()) {
    notes->lanes[lane] = ++notes->last;
    BoundNotes(*notes);
  }
}

void Watches::BoundNotes(ChangeNotes& notes) const {
  const bool is_bounded = notes.messages.size() <= notes_max_ && notes.lanes.size() <= notes_max_ &&
                          notes.span_bounds <= notes_max_;
  if (is_bounded) return;
  notes.forgotten = notes.last;
  notes.messages.clear();
  notes.lanes.clear();
  notes.spans.clear();
  notes.span_bounds = 0;
}

// Each time as many came as were left, so that it costs little for each.
void Watches::Sweep() {
  asked_count_ = 0;
  for (auto& [lane, asked] : asked_) {
    absl::erase_if(asked, [](const auto& each) { return each.second.expired(); });
    asked_count_ += asked.size();
  }
  absl::erase_if(asked_, [](const auto& each) { return each.second.empty(); });
  sweep_at_ = std::max(kSweepAtLeast, 2 * asked_count_);
}

}  // namespace wharf
