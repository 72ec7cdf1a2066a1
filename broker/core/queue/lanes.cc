#include "broker/core/queue/lanes.h"

#include <utility>

namespace wharf {
namespace {

Lane::Image MainOf(Lane::Image image, const QueueDescription& queue) {
  image.has_sessions = queue.requires_session;
  image.is_partitioned = queue.enable_partitioning;
  if (queue.enable_priority) image.tracks = TrackKind::kLevels;
  // A session is in one partition as a whole.
  if (queue.enable_partitioning && !queue.requires_session) image.tracks = TrackKind::kPartitions;
  return image;
}

// Dead letters of a partition wait for nobody's but their own; their levels count no more.
Lane::Image DeadLettersOf(Lane::Image image, const QueueDescription& queue) {
  if (queue.enable_partitioning) image.tracks = TrackKind::kPartitions;
  return image;
}

}  // namespace

Lanes::Lanes(const EntityRecord& record, Lane::Image main, Lane::Image dead_letter,
             const LaneLimits& limits, Watches& watches)
    : main_({record.id, LaneKind::kMain}, MainOf(std::move(main), record.description), limits,
            watches),
      dead_letter_({record.id, LaneKind::kDeadLetter},
                   DeadLettersOf(std::move(dead_letter), record.description), limits, watches) {}

}  // namespace wharf
