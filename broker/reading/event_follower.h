// EventFollower: picks out of an event log, row by row, what happened to one message.
//
// A message that is looked for by its id is known by the events that tell ids, and followed by its
// number from then on; where it gets another number in the same entity, by that, too. Purges tell
// of no numbers: so it is known of each that is followed where it stood. Used on reader threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/core/messages/message_place.h"
#include "broker/schema/event_record.h"

namespace wharf {

struct FollowedEvent {
  LaneKind lane;
  // Without its path.
  MessageEvent event;
};

class EventFollower {
 public:
  // Numbers that are followed at a time.
  static constexpr std::size_t kFollowedMax = 64;

  EventFollower(const WantedMessage& wanted, std::vector<FollowedMessage> followed);

  // The events of the next row, if its time is not over, and it is from `since` or later; up to
  // where it cannot be read.
  std::vector<FollowedEvent> Read(std::string_view row, Timestamp now, Timestamp since);
  // Whether there were more numbers than are followed.
  bool has_untold() const { return has_untold_; }
  // Rows so far that cannot be read to their end.
  std::size_t damaged_rows() const { return damaged_rows_; }
  // To go on with.
  std::vector<FollowedMessage> Take() { return std::move(followed_); }

 private:
  void Follow(SequenceNumber number);
  bool IsOf(const Event& event, const FollowedMessage& followed) const;

  std::string id_;
  std::vector<FollowedMessage> followed_;
  bool has_untold_ = false;
  std::size_t damaged_rows_ = 0;
};

}  // namespace wharf
