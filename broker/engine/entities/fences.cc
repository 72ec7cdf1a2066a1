#include "broker/engine/entities/fences.h"

#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "broker/schema/loader.h"
#include "storage/base/log_fields.h"

namespace wharf {
namespace {

constexpr LaneKind kLaneKinds[] = {LaneKind::kMain, LaneKind::kDeadLetter};

// Once for each fence, in each life of the broker.
void Log(const Queue& queue) {
  const LogFields about({{"entity", queue.description().name}});
  spdlog::error("{}", queue.CheckFence().message());
}

}  // namespace

void Fences::Start(Turn& turn) {
  for (const Queue* queue : context_.catalog.queues()) {
    if (!queue->is_fenced()) continue;
    Log(*queue);
    turn.changes.push_back(EntityFenced{queue->id(), queue->fence()});
  }
}

void Fences::Plan(const TouchedLanes::Lanes& touched, Turn& turn) {
  // To fence one touches others.
  std::vector<std::pair<Queue*, std::string>> found;
  for (const LaneId& lane : touched) {
    Queue* queue = context_.catalog.Find(lane.entity);
    if (queue == nullptr) continue;
    for (const LaneKind kind : kLaneKinds) {
      const Status& contradiction = queue->lane(kind).contradiction();
      if (!contradiction.ok()) found.emplace_back(queue, contradiction.message());
    }
  }
  for (auto& [queue, reason] : found) {
    if (!queue->is_fenced()) Fence(*queue, std::move(reason), turn);
  }
}

void Fences::Fence(Queue& queue, std::string reason, Turn& turn) {
  NoteCounters(queue, turn);
  turn.changes.push_back(EntityFenced{queue.id(), reason});
  queue.Fence(std::move(reason));
  Log(queue);
  if (Topic* topic = topics_.TopicOf(queue); topic != nullptr) topic->NoteFence(queue);
  registrations_.TellDeleted(queue.id(), queue.CheckFence(), turn);
}

// What this turn did before is committed with it, numbers that it gave among it.
void Fences::NoteCounters(Queue& queue, Turn& turn) {
  for (const LaneKind kind : kLaneKinds) {
    Lane& lane = queue.lane(kind);
    if (!lane.TakeCountersChanged()) continue;
    turn.changes.push_back(CountersChanged{lane.id(), lane.counters()});
  }
}

void Fences::Lift(Queue& queue, Queue::Image image, Turn& turn) {
  std::vector<LostLock> lost = TakeLostLocks(image);
  queue.Reload(std::move(image));
  Topic* const topic = topics_.TopicOf(queue);
  if (topic != nullptr) topic->NoteFence(queue);
  if (queue.is_fenced()) {
    Log(queue);
    turn.changes.push_back(EntityFenced{queue.id(), queue.fence()});
    return;
  }
  const EntityId id = queue.id();
  turn.changes.push_back(EntityUnfenced{id});
  lost_locks_.Quarantine(std::move(lost), turn);
  sweeper_.Note({id.bucket(), Timestamp()});
  const LogFields about({{"entity", queue.description().name}});
  spdlog::info("'{}' was recounted, and is in use again", queue.description().name);
  for (const LaneKind kind : kLaneKinds) context_.touched.Touch(queue.lane(kind).id());
  context_.touched.NoteUse(queue, queue.lane(LaneKind::kMain).id(), turn.now);
  registrations_.TellChanged(queue, turn);
  Queue* const parent = context_.catalog.TopicOf(queue);
  if (parent != nullptr && !parent->is_fenced()) registrations_.TellChanged(*parent, turn);
}

}  // namespace wharf
