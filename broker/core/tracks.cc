#include "broker/core/tracks.h"

#include <algorithm>
#include <cassert>

#include "broker/core/message.h"
#include "broker/core/partition.h"

namespace wharf {
namespace {

// PRI-2.
constexpr int kPassedOverMax = 16;

std::size_t TracksOf(TrackOrder order) {
  static_assert(kPartitions <= kTracksMax && kPriorityMax < kTracksMax);
  return order == TrackOrder::kLevels ? kPriorityMax + 1 : kPartitions;
}

}  // namespace

Tracks::Tracks(TrackOrder order, bool is_empty, const WindowLimits& limits)
    : order_(order), limits_(limits), windows_(TracksOf(order), SessionWindow(SequenceNumber())) {
  if (is_empty) RemoveAll();
}

const WaitingMessage* Tracks::head() const {
  const std::optional<Id> track = Next();
  return track ? windows_[*track].deliverable() : nullptr;
}

WaitingMessage Tracks::PopHead() {
  const std::optional<Id> track = Next();
  assert(track);
  WaitingMessage head;
  ChangeWindow(*track, [&](SessionWindow& window) { head = window.PopFirst(); });
  if (order_ == TrackOrder::kPartitions) {
    turn_ = static_cast<Id>((*track + 1) % windows_.size());
  } else {
    passed_over_ = HasWaitingBelow(*track) && passed_over_ < kPassedOverMax ? passed_over_ + 1 : 0;
  }
  return head;
}

std::optional<Tracks::Id> Tracks::Next() const {
  return order_ == TrackOrder::kLevels ? NextLevel() : NextPartition();
}

std::optional<Tracks::Id> Tracks::NextLevel() const {
  const auto top = std::find_if(windows_.rbegin(), windows_.rend(),
                                [](const SessionWindow& level) { return !level.is_exhausted(); });
  if (top == windows_.rend()) return std::nullopt;
  auto next = std::optional(static_cast<Id>(windows_.rend() - top - 1));
  if (passed_over_ >= kPassedOverMax) {
    std::optional<Id> oldest;
    if (!FindOldestBelow(*next, oldest)) return std::nullopt;
    if (oldest) next = oldest;
  }
  return windows_[*next].deliverable() == nullptr ? std::nullopt : next;
}

bool Tracks::FindOldestBelow(Id top, std::optional<Id>& oldest) const {
  for (Id level = 0; level < top; ++level) {
    const SessionWindow& window = windows_[level];
    if (window.is_exhausted()) continue;
    const WaitingMessage* first = window.first();
    if (first == nullptr) return false;
    if (!oldest || first->number < windows_[*oldest].first()->number) oldest = level;
  }
  return true;
}

bool Tracks::HasWaitingBelow(Id top) const {
  return std::any_of(windows_.begin(), windows_.begin() + top,
                     [](const SessionWindow& level) { return !level.is_exhausted(); });
}

// One that must be read first loses its turn: there is no order among them.
std::optional<Tracks::Id> Tracks::NextPartition() const {
  for (std::size_t ahead = 0; ahead < windows_.size(); ++ahead) {
    const std::size_t track = (turn_ + ahead) % windows_.size();
    if (windows_[track].deliverable() != nullptr) return static_cast<Id>(track);
  }
  return std::nullopt;
}

// However many tracks there are, their windows together stay bounded.
SessionWindowLimits Tracks::window_limits() const {
  const auto in_use = std::count_if(windows_.begin(), windows_.end(),
                                    [](const SessionWindow& each) { return !each.is_exhausted(); });
  const auto shares = static_cast<std::size_t>(std::max<std::ptrdiff_t>(in_use, 1));
  return {std::max<std::size_t>(limits_.messages_max / shares, 1),
          std::max<std::size_t>(limits_.bytes_max / shares, 1), limits_.content_ahead};
}

template <typename Change>
void Tracks::ChangeWindow(Id track, Change change) {
  assert(track < windows_.size());
  SessionWindow& window = windows_[track];
  bytes_ -= window.bytes();
  change(window);
  bytes_ += window.bytes();
}

void Tracks::Add(WaitingMessage message) {
  const Id track = *message.facts.track;
  ChangeWindow(track,
               [&](SessionWindow& window) { window.Add(std::move(message), window_limits()); });
}

void Tracks::Remove(SequenceNumber number, const MessageFacts& facts) {
  ChangeWindow(*facts.track, [number](SessionWindow& window) { window.Remove(number); });
}

void Tracks::RemoveAll() {
  for (SessionWindow& window : windows_) window.RemoveAll();
  bytes_ = 0;
}

void Tracks::Drop() {
  for (SessionWindow& window : windows_) window.Drop();
  bytes_ = 0;
}

std::vector<std::pair<Tracks::Id, SessionRead>> Tracks::NextReads() {
  std::vector<std::pair<Id, SessionRead>> reads;
  for (std::size_t track = 0; track < windows_.size(); ++track) {
    if (windows_[track].is_exhausted()) continue;
    MessageFacts facts;
    facts.track = static_cast<Id>(track);
    auto read = windows_[track].NextRead(std::string(facts.ordering_key()), window_limits());
    if (read) reads.emplace_back(*facts.track, *std::move(read));
  }
  return reads;
}

void Tracks::TakeRead(Id track, SessionReadBatch batch) {
  ChangeWindow(track,
               [&](SessionWindow& window) { window.Take(std::move(batch), window_limits()); });
}

}  // namespace wharf
