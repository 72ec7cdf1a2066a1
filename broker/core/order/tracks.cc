#include "broker/core/order/tracks.h"

#include <algorithm>
#include <cassert>

#include "broker/core/messages/message.h"
#include "broker/core/order/partition.h"

namespace wharf {
namespace {

// PRI-2.
constexpr int kPassedOverMax = 16;

std::size_t TracksOf(TrackKind kind) {
  static_assert(kPartitions <= kTracksMax && kPriorityMax < kTracksMax);
  return kind == TrackKind::kLevels ? kPriorityMax + 1 : kPartitions;
}

}  // namespace

Tracks::Tracks(TrackKind kind, bool is_empty, const WindowLimits& limits)
    : kind_(kind), limits_(limits), tracks_(TracksOf(kind)) {
  if (is_empty) RemoveAll();
}

const WaitingMessage* Tracks::head() const {
  const std::optional<Id> track = Next();
  return track ? tracks_[*track].window.deliverable() : nullptr;
}

WaitingMessage Tracks::PopHead() {
  const std::optional<Id> track = Next();
  assert(track);
  WaitingMessage head = PopFirst(*track);
  if (kind_ == TrackKind::kPartitions) {
    turn_ = static_cast<Id>((*track + 1) % tracks_.size());
  } else {
    passed_over_ = HasWaitingBelow(*track) && passed_over_ < kPassedOverMax ? passed_over_ + 1 : 0;
  }
  return head;
}

WaitingMessage Tracks::PopFirst(Id track) {
  WaitingMessage first;
  ChangeWindow(track, [&](SessionWindow& window) { first = window.PopFirst(); });
  return first;
}

// Nothing is delivered, so it is nobody's turn that is over.
void Tracks::PassHead() {
  const std::optional<Id> next = Next();
  assert(next);
  Track& track = tracks_[*next];
  const SequenceNumber end = PopFirst(*next).number.Next();
  track.passed_end = std::max(track.passed_end, end);
  ++track.passed;
}

std::optional<Timestamp> Tracks::oldest() const {
  std::optional<Timestamp> oldest;
  for (const Track& track : tracks_) {
    if (!HasWaiting(track)) continue;
    const WaitingMessage* first = track.window.first();
    if (first == nullptr || first->message == nullptr) return std::nullopt;
    if (track.passed > 0) return std::nullopt;
    const Timestamp came = first->message->enqueued_at;
    oldest = oldest ? std::min(*oldest, came) : came;
  }
  return oldest;
}

std::size_t Tracks::messages() const {
  std::size_t messages = 0;
  for (const Track& track : tracks_) messages += track.window.waiting().size();
  return messages;
}

const char* Tracks::Contradiction(const LaneCounters& counters) const {
  if (counters.is_uncertain) return nullptr;
  std::int64_t waiting = 0;
  bool knows_all = true;
  for (const Track& track : tracks_) {
    waiting += static_cast<std::int64_t>(track.window.waiting().size() + track.passed);
    knows_all = knows_all && track.window.end() == kNumberEnd;
  }
  const std::int64_t counted = counters.fresh + counters.returned;
  if (waiting > counted) return "more messages wait than are counted";
  if (knows_all && waiting < counted) return "fewer messages wait than are counted";
  return nullptr;
}

std::size_t Tracks::passed() const {
  std::size_t passed = 0;
  for (const Track& track : tracks_) passed += track.passed;
  return passed;
}

// By turns from each: whichever is served next, its first messages are among them.
std::vector<MessagePtr> Tracks::Ahead(std::size_t count_max) const {
  std::vector<MessagePtr> ahead;
  const std::optional<Id> next = Next();
  if (!next) return ahead;
  const std::size_t share = std::max<std::size_t>(count_max / tracks_.size(), 1);
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const auto& waiting = tracks_[(*next + i) % tracks_.size()].window.waiting();
    const std::size_t end = std::min(ahead.size() + share, count_max);
    for (auto it = waiting.begin(); it != waiting.end() && ahead.size() < end; ++it) {
      if (it->second.message) ahead.push_back(it->second.message);
    }
  }
  return ahead;
}

std::optional<Tracks::Id> Tracks::Next() const {
  return kind_ == TrackKind::kLevels ? NextLevel() : NextPartition();
}

std::optional<Tracks::Id> Tracks::NextLevel() const {
  const auto top = std::find_if(tracks_.rbegin(), tracks_.rend(), HasWaiting);
  if (top == tracks_.rend()) return std::nullopt;
  auto next = std::optional(static_cast<Id>(tracks_.rend() - top - 1));
  if (passed_over_ >= kPassedOverMax) {
    // Perhaps nothing waits in it any more, and another level is the highest.
    if (tracks_[*next].window.first() == nullptr) return std::nullopt;
    std::optional<Id> oldest;
    if (!FindOldestBelow(*next, oldest)) return std::nullopt;
    if (oldest) next = oldest;
  }
  return tracks_[*next].window.deliverable() == nullptr ? std::nullopt : next;
}

bool Tracks::FindOldestBelow(Id top, std::optional<Id>& oldest) const {
  for (Id level = 0; level < top; ++level) {
    const SessionWindow& window = tracks_[level].window;
    if (window.is_exhausted()) continue;
    const WaitingMessage* first = window.first();
    if (first == nullptr) return false;
    if (!oldest || first->number < tracks_[*oldest].window.first()->number) oldest = level;
  }
  return true;
}

bool Tracks::HasWaitingBelow(Id top) const {
  return std::any_of(tracks_.begin(), tracks_.begin() + top, HasWaiting);
}

// One that must be read first loses its turn: there is no order among them.
std::optional<Tracks::Id> Tracks::NextPartition() const {
  for (std::size_t ahead = 0; ahead < tracks_.size(); ++ahead) {
    const std::size_t track = (turn_ + ahead) % tracks_.size();
    if (tracks_[track].window.deliverable() != nullptr) return static_cast<Id>(track);
  }
  return std::nullopt;
}

// However many tracks there are, their windows together stay bounded.
SessionWindowLimits Tracks::window_limits() const {
  const auto in_use = std::count_if(tracks_.begin(), tracks_.end(), HasWaiting);
  const auto shares = static_cast<std::size_t>(std::max<std::ptrdiff_t>(in_use, 1));
  return {std::max<std::size_t>(limits_.messages_max / shares, 1),
          std::max<std::size_t>(limits_.bytes_max / shares, 1), limits_.content_ahead};
}

template <typename Change>
void Tracks::ChangeWindow(Id id, Change change) {
  assert(id < tracks_.size());
  Track& track = tracks_[id];
  bytes_ -= track.window.bytes();
  change(track.window);
  // What was passed would be read, and counted, once more.
  if (track.passed > 0 && track.window.end() < track.passed_end) Restart(track);
  bytes_ += track.window.bytes();
}

void Tracks::Restart(Track& track) {
  track.window.Restart();
  track.passed = 0;
  track.passed_end = SequenceNumber();
}

void Tracks::Add(WaitingMessage message) {
  const Id track = *message.facts.track;
  ChangeWindow(track,
               [&](SessionWindow& window) { window.Add(std::move(message), window_limits()); });
}

void Tracks::Remove(SequenceNumber number, const MessageFacts& facts) {
  Track& track = tracks_[*facts.track];
  const bool is_passed = number < track.passed_end && !track.window.waiting().contains(number);
  ChangeWindow(*facts.track, [number](SessionWindow& window) { window.Remove(number); });
  if (is_passed && track.passed > 0) --track.passed;
}

MessageRun Tracks::ReadyRun(Timestamp now, MessageRun::Between between,
                            const RunLimits& limits) const {
  const std::optional<Id> track = Next();
  return track ? tracks_[*track].window.ReadyRun(now, between, limits) : MessageRun();
}

void Tracks::RemoveSpan(const Span& span) {
  for (std::size_t track = 0; track < tracks_.size(); ++track) {
    ChangeWindow(static_cast<Id>(track),
                 [&span](SessionWindow& window) { window.RemoveSpan(span); });
  }
}

void Tracks::DiscardReads() {
  for (Track& track : tracks_) track.window.DiscardRead();
}

void Tracks::RemoveAll() {
  for (Track& track : tracks_) {
    Restart(track);
    track.window.RemoveAll();
  }
  bytes_ = 0;
}

void Tracks::Drop() {
  for (Track& track : tracks_) {
    if (track.passed > 0) {
      Restart(track);
    } else {
      track.window.Drop();
    }
  }
  bytes_ = 0;
}

std::vector<std::pair<Tracks::Id, SessionRead>> Tracks::NextReads() {
  std::vector<std::pair<Id, SessionRead>> reads;
  for (std::size_t track = 0; track < tracks_.size(); ++track) {
    if (!HasWaiting(tracks_[track])) continue;
    MessageFacts facts;
    facts.track = static_cast<Id>(track);
    auto read = tracks_[track].window.NextRead(std::string(facts.ordering_key()), window_limits());
    if (read) reads.emplace_back(*facts.track, *std::move(read));
  }
  return reads;
}

std::vector<UnreadableMessage> Tracks::TakeRead(Id track, SessionReadBatch batch) {
  std::vector<UnreadableMessage> unreadable;
  ChangeWindow(track, [&](SessionWindow& window) {
    unreadable = window.Take(std::move(batch), window_limits());
  });
  for (UnreadableMessage& each : unreadable) each.facts.track = track;
  return unreadable;
}

}  // namespace wharf
