#include "broker/engine/background/idle_watch.h"

#include <algorithm>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

constexpr Duration kLeftAfterStart = std::chrono::minutes(5);

}  // namespace

// All entities are asked before one is noted: a topic is used with its subscriptions.
void IdleWatch::Start(Timestamp now, Timestamp last_committed) {
  std::vector<std::pair<Queue*, Duration>> were_idle;
  for (Queue* queue : context_.catalog.queues()) {
    if (queue->settings().auto_delete_on_idle == kUnlimited) continue;
    were_idle.emplace_back(queue, std::max(last_committed - UsedAt(*queue), Duration(0)));
  }
  for (const auto& [queue, was_idle] : were_idle) {
    const Duration idle = queue->settings().auto_delete_on_idle;
    queue->NoteActivity(now - std::min(was_idle, idle - std::min(idle, kLeftAfterStart)));
    // Written, so that the next start does not count this stop either.
    context_.touched.TouchLater({queue->id(), LaneKind::kMain});
    Track(*queue, now);
  }
}

// What keeps it from being idle at all may be over by the time that it is looked at.
void IdleWatch::Track(const Queue& queue, Timestamp now) {
  const Duration idle = queue.settings().auto_delete_on_idle;
  deadlines_.Set(queue.id(), std::min(queue.idle_deadline(), After(now, idle)));
}

void IdleWatch::OnEntityChanged(Queue& queue, Turn& turn) { Track(queue, turn.now); }

void IdleWatch::OnEntityDeleted(EntityId entity, const Status& /*reason*/, Turn& /*turn*/) {
  deadlines_.Set(entity, kNever);
}

void IdleWatch::PlanDue(Turn& turn) {
  while (const std::optional<EntityId> entity = deadlines_.TakeDue(turn.now)) Look(*entity, turn);
}

void IdleWatch::Look(EntityId entity, Turn& turn) {
  Queue* queue = context_.catalog.Find(entity);
  if (queue == nullptr) return;
  NoteUse(*queue, turn);
  if (queue->idle_deadline() > turn.now) return Track(*queue, turn.now);
  const std::string name = queue->name();
  const Status deleted = eraser_.EraseEntity(queue->kind(), name, turn);
  if (!deleted.ok()) spdlog::error("'{}' cannot be deleted: {}", name, deleted.message());
}

// What waits to receive, with credit, or for a session, uses the entity (ADI-9, ADI-11), and what
// waits at a subscription uses its topic (ADI-4). What is fenced cannot be used, and waits for its
// operator.
bool IdleWatch::IsWaitedOn(EntityId entity) const {
  if (context_.catalog.IsFenced(entity)) return true;
  const auto waits = [entity](const Waiting* waiting) { return waiting->HasWaiting(entity); };
  if (std::any_of(waiting_.begin(), waiting_.end(), waits)) return true;
  const Topic* topic = topics_.Find(entity);
  if (topic == nullptr) return false;
  return std::any_of(topic->subscriptions().begin(), topic->subscriptions().end(),
                     [this](const auto& each) { return IsWaitedOn(each.first); });
}

// Every use of a subscription is one of its topic (ADI-4).
Timestamp IdleWatch::UsedAt(const Queue& queue) const {
  Timestamp used = queue.counters(LaneKind::kMain).active_at;
  const Topic* topic = topics_.Find(queue.id());
  if (topic == nullptr) return used;
  for (const auto& [id, subscription] : topic->subscriptions()) {
    used = std::max(used, subscription->counters(LaneKind::kMain).active_at);
  }
  return used;
}

void IdleWatch::NoteUse(Queue& queue, Turn& turn) {
  const EntityId id = queue.id();
  const Timestamp used = IsWaitedOn(id) ? turn.now : UsedAt(queue);
  if (used <= queue.counters(LaneKind::kMain).active_at) return;
  context_.touched.NoteUse(queue, {id, LaneKind::kMain}, used);
}

}  // namespace wharf
