#include "broker/engine/entities/lost_locks.h"

#include <utility>

namespace wharf {
namespace {

constexpr std::size_t kPerTurn = 1024;

}  // namespace

void LostLocks::Quarantine(std::vector<LostLock> lost, Turn& turn) {
  if (lost.empty()) return;
  QuarantinePart(std::make_shared<Rest>(
                     Rest{.lost = std::move(lost), .watch = context_.catalog.BeginPageWatch()}),
                 turn);
}

void LostLocks::QuarantinePart(const std::shared_ptr<Rest>& rest, Turn& turn) {
  if (context_.open.is_closed()) return;
  for (std::size_t i = 0; i < kPerTurn && rest->next < rest->lost.size(); ++i) {
    QuarantineOne(rest->lost[rest->next++], rest->watch, turn);
  }
  if (rest->next == rest->lost.size()) return;
  tasks_.Post([this, rest](Turn& later) { QuarantinePart(rest, later); });
}

// One that is left is found again at the next start, or when its entity is loaded again.
void LostLocks::QuarantineOne(LostLock& lost, const PageWatch& watch, Turn& turn) {
  Queue* const queue = context_.catalog.Find(lost.shelf.entity);
  if (queue == nullptr) return;
  Lane& lane = queue->lane(lost.shelf.kind);
  if (lane.shelf() != lost.shelf || watch.Saw(lane.id(), lost.message.number)) return;
  context_.touched.Touch(lane.id());
  lane.Quarantine(std::move(lost.message), turn.now, turn.changes);
}

}  // namespace wharf
