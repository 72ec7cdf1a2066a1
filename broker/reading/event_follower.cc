#include "broker/reading/event_follower.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace wharf {
namespace {

using FollowedStand = FollowedMessage::Stand;

FollowedStand StandIn(LaneKind lane) {
  return lane == LaneKind::kMain ? FollowedStand::kMain : FollowedStand::kDeadLetter;
}

// How a message stands behind such an event.
FollowedStand StandAfter(const Event& event) {
  switch (event.kind) {
    case EventKind::kScheduled:
    case EventKind::kRescheduled:
      return FollowedStand::kScheduled;
    case EventKind::kForwardedFrom:
      return event.until ? FollowedStand::kScheduled : StandIn(event.lane);
    case EventKind::kScheduleCancelled:
    case EventKind::kPublished:
    case EventKind::kReceivedAndDeleted:
    case EventKind::kCompleted:
    case EventKind::kForwarded:
    case EventKind::kRedriven:
    case EventKind::kExpired:
    case EventKind::kDeleted:
    case EventKind::kDuplicateDropped:
    case EventKind::kPurged:
    case EventKind::kSchedulePurged:
      return FollowedStand::kGone;
    default:
      return StandIn(event.lane);
  }
}

MessageEvent Told(const EventRowReader& row, const Event& event, SequenceNumber number) {
  MessageEvent told{.path = {},
                    .kind = event.kind,
                    .number = number,
                    .time = row.time(),
                    .order = (row.serial() << 20) + event.index};
  if (event.actor) told.actor = row.actor(*event.actor);
  told.until = event.until;
  (event.kind == EventKind::kPublished ? told.copies : told.delivery_count) = event.count;
  told.message_id = std::string(event.message_id);
  told.reason = std::string(event.reason);
  told.other_path = std::string(event.other_path);
  told.other_number = event.other_number;
  return told;
}

// The number that the message has from there on, in the same entity.
std::optional<SequenceNumber> NextNumber(const Event& event, SequenceNumber followed) {
  const bool is_renamed = event.kind == EventKind::kActivated ||
                          event.kind == EventKind::kQuarantined ||
                          event.kind == EventKind::kPublished;
  if (!is_renamed || event.other_number != followed) return std::nullopt;
  return event.number;
}

}  // namespace

EventFollower::EventFollower(const WantedMessage& wanted, std::vector<FollowedMessage> followed)
    : followed_(std::move(followed)) {
  if (const auto* id = std::get_if<std::string>(&wanted)) id_ = *id;
  if (const auto* number = std::get_if<SequenceNumber>(&wanted)) Follow(*number);
}

void EventFollower::Follow(SequenceNumber number) {
  const bool is_known = std::any_of(followed_.begin(), followed_.end(),
                                    [&](const auto& each) { return each.number == number; });
  if (is_known) return;
  if (followed_.size() == kFollowedMax) {
    has_untold_ = true;
  } else {
    followed_.push_back({number});
  }
}

bool EventFollower::IsOf(const Event& event, const FollowedMessage& followed) const {
  switch (event.kind) {
    case EventKind::kPurged:
      return followed.stand == StandIn(event.lane);
    case EventKind::kSchedulePurged:
      return followed.stand == FollowedStand::kScheduled;
    default:
      return event.IsOf(followed.number);
  }
}

std::vector<FollowedEvent> EventFollower::Read(std::string_view bytes, Timestamp now,
                                               Timestamp since) {
  std::vector<FollowedEvent> told;
  EventRowReader row(bytes);
  if (row.is_damaged()) ++damaged_rows_;
  if (row.is_damaged() || row.forget_after() <= now || row.time() < since) return told;
  while (const std::optional<Event> event = row.Next()) {
    if (!id_.empty() && event->message_id == id_) Follow(event->number);
    for (std::size_t i = 0; i < followed_.size(); ++i) {
      if (const auto next = NextNumber(*event, followed_[i].number)) {
        followed_[i].stand = FollowedStand::kGone;
        Follow(*next);
      }
    }
    for (FollowedMessage& each : followed_) {
      if (!IsOf(*event, each)) continue;
      told.push_back({event->lane, Told(row, *event, each.number)});
      each.stand = StandAfter(*event);
    }
  }
  if (row.is_damaged()) ++damaged_rows_;
  return told;
}

}  // namespace wharf
