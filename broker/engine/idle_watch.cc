#include "broker/engine/idle_watch.h"

#include <algorithm>
#include <vector>

#include <spdlog/spdlog.h>

#include "broker/engine/shard.h"

namespace wharf {
namespace {

constexpr Duration kLeftAfterStart = std::chrono::minutes(5);

}  // namespace

// All of them are asked before any of them is noted: a topic is used with its subscriptions.
void IdleWatch::Start(Timestamp now, Timestamp last_committed) {
  std::vector<std::pair<Queue*, Duration>> were_idle;
  for (Queue* queue : shard_.catalog().queues()) {
    if (queue->description().auto_delete_on_idle == kUnlimited) continue;
    were_idle.emplace_back(queue, std::max(last_committed - UsedAt(*queue), Duration(0)));
  }
  for (const auto& [queue, was_idle] : were_idle) {
    const Duration idle = queue->description().auto_delete_on_idle;
    queue->NoteActivity(now - std::min(was_idle, idle - std::min(idle, kLeftAfterStart)));
    // Written, so that the next start does not count this stop either.
    shard_.TouchLater({queue->record().id, LaneKind::kMain});
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

// Who waits to receive, with credit, or for a session, uses the entity (ADI-9, ADI-11), and who
// waits at a subscription uses its topic (ADI-4).
bool IdleWatch::IsWaitedOn(EntityId entity) const {
  if (shard_.dispatcher().HasWaiting(entity)) return true;
  if (shard_.sessions().HasWaiting({entity, LaneKind::kMain})) return true;
  const Topic* topic = shard_.topics().Find(entity);
  if (topic == nullptr) return false;
  return std::any_of(topic->subscriptions().begin(), topic->subscriptions().end(),
                     [this](const auto& each) { return IsWaitedOn(each.first); });
}

// Who used a subscription used its topic (ADI-4).
Timestamp IdleWatch::UsedAt(const Queue& queue) const {
  Timestamp used = queue.lane(LaneKind::kMain).counters().active_at;
  const Topic* topic = shard_.topics().Find(queue.record().id);
  if (topic == nullptr) return used;
  for (const auto& [id, subscription] : topic->subscriptions()) {
    used = std::max(used, subscription->lane(LaneKind::kMain).counters().active_at);
  }
  return used;
}

void IdleWatch::NoteUse(Queue& queue, Turn& turn) {
  const EntityId id = queue.record().id;
  const Timestamp used = IsWaitedOn(id) ? turn.now : UsedAt(queue);
  if (used <= queue.lane(LaneKind::kMain).counters().active_at) return;
  shard_.NoteUse({&queue, {id, LaneKind::kMain}}, used);
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
