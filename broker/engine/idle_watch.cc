#include "broker/engine/idle_watch.h"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "broker/engine/shard.h"

namespace wharf {
namespace {

constexpr Duration kLeftAfterStart = std::chrono::minutes(5);

}  // namespace

void IdleWatch::Start(Timestamp now, Timestamp last_committed) {
  for (Queue* queue : shard_.catalog().queues()) {
    const Duration idle = queue->description().auto_delete_on_idle;
    if (idle == kUnlimited) continue;
    const Timestamp active = queue->lane(LaneKind::kMain).counters().active_at;
    const Duration was_idle = std::max(last_committed - active, Duration(0));
    queue->NoteActivity(now - std::min(was_idle, idle - std::min(idle, kLeftAfterStart)));
    Track(queue->record().id, now);
  }
}

void IdleWatch::Track(EntityId entity, Timestamp now) {
  const Queue* queue = shard_.catalog().Find(entity);
  if (queue == nullptr) return SetDeadline(entity, kNever);
  const Duration idle = queue->description().auto_delete_on_idle;
  // What keeps it from being idle at all may be over by the time that it is looked at.
  SetDeadline(entity, std::min(queue->idle_deadline(), After(now, idle)));
}

void IdleWatch::Plan(Turn& turn) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= turn.now) {
    Look(deadlines_.begin()->second, turn);
  }
}

void IdleWatch::Look(EntityId entity, Turn& turn) {
  Queue* queue = shard_.catalog().Find(entity);
  if (queue != nullptr) NoteUse(*queue, turn);
  if (queue == nullptr || queue->idle_deadline() > turn.now) return Track(entity, turn.now);
  SetDeadline(entity, kNever);
  const std::string name = queue->description().name;
  const Status deleted = shard_.EraseEntity(queue->kind(), name, turn);
  if (!deleted.ok()) spdlog::error("'{}' cannot be deleted: {}", name, deleted.message());
}

// Who waits to receive, with credit, uses it (ADI-9), and who uses a subscription uses its topic
// (ADI-4).
void IdleWatch::NoteUse(Queue& queue, Turn& turn) {
  const EntityId id = queue.record().id;
  Timestamp used = shard_.dispatcher().HasWaiting(id) ? turn.now : Timestamp();
  if (const Topic* topic = shard_.topics().Find(id); topic != nullptr) {
    for (const auto& [each, subscription] : topic->subscriptions()) {
      const bool is_waited_on = shard_.dispatcher().HasWaiting(each);
      used = std::max({used, subscription->lane(LaneKind::kMain).counters().active_at,
                       is_waited_on ? turn.now : Timestamp()});
    }
  }
  if (used <= queue.lane(LaneKind::kMain).counters().active_at) return;
  queue.NoteActivity(used);
  shard_.Touch({id, LaneKind::kMain});
}

void IdleWatch::SetDeadline(EntityId entity, Timestamp deadline) {
  const auto found = deadline_of_.find(entity);
  if (found != deadline_of_.end()) {
    deadlines_.erase({found->second, entity});
    deadline_of_.erase(found);
  }
  if (deadline == kNever) return;
  deadlines_.emplace(deadline, entity);
  deadline_of_.emplace(entity, deadline);
}

Timestamp IdleWatch::next_deadline() const {
  return deadlines_.empty() ? kNever : deadlines_.begin()->first;
}

}  // namespace wharf
