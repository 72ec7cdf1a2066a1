#include "broker/core/queue/lanes.h"

#include <memory>
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
    : record_(record),
      limits_(limits),
      watches_(watches),
      main_({record.id, LaneKind::kMain}, MainOf(std::move(main), record.description), limits,
            watches),
      dead_letter_({record.id, LaneKind::kDeadLetter},
                   DeadLettersOf(std::move(dead_letter), record.description), limits, watches) {}

void Lanes::Reload(Lane::Image main, Lane::Image dead_letter) {
  Replace(main_, MainOf(std::move(main), record_.description), limits_, watches_);
  Replace(dead_letter_, DeadLettersOf(std::move(dead_letter), record_.description), limits_,
          watches_);
}

// All parts of the queue go on to know the lane by its address.
void Lanes::Replace(Lane& lane, Lane::Image image, const LaneLimits& limits, Watches& watches) {
  const LaneId id = lane.id();
  std::int64_t* const total = lane.counted_into();
  NamespaceSize* const size = lane.namespace_size();
  image.life = lane.life() + 1;
  lane.CountInto(nullptr);
  lane.CountIntoNamespace(nullptr);
  std::destroy_at(&lane);
  std::construct_at(&lane, id, std::move(image), limits, watches);
  lane.CountInto(total);
  lane.CountIntoNamespace(size);
  watches.NoteAll(id);
}

}  // namespace wharf
