#include "broker/engine/background/due_runs.h"

#include <utility>

namespace wharf {

bool DueRuns::Fits(const DueMessage& due, Timestamp now) const {
  if (due.hint.kind != DueKind::kExpire || !due.found || due.unreadable) return false;
  Queue* queue = context_.catalog.FindShelf(due.hint.lane);
  return queue != nullptr && due.found->message->facts.expires_at == due.hint.time &&
         queue->expiry().FitsRun(due.hint.lane.kind, *due.found, now);
}

// Of what stands between two neighbours it is not known whether it is there.
bool DueRuns::Take(const DueMessage& due, Turn& turn) {
  if (!Fits(due, turn.now)) return false;
  const std::int64_t size = due.found->message->facts.size;
  const Open empty{context_.catalog.FindShelf(due.hint.lane)->expiry().BeginRun(), {}};
  const std::pair place(due.hint.lane, PartitionOf(due.hint.number));
  Open& open = open_.try_emplace(place, empty).first->second;
  if (!open.run.Extend(due.hint.number, size, MessageRun::Between::kUnknown)) {
    Close(due.hint.lane, open, turn);
    open = empty;
    open.run.Extend(due.hint.number, size, MessageRun::Between::kUnknown);
  }
  open.members.push_back(&due);
  return true;
}

void DueRuns::Close(const Shelf& shelf, const Open& open, Turn& turn) {
  context_.touched.Touch(shelf.lane());
  Queue& queue = *context_.catalog.FindShelf(shelf);
  if (!queue.expiry().ExpireRun(open.run, turn.now, turn.changes)) {
    left_.insert(left_.end(), open.members.begin(), open.members.end());
    return;
  }
  for (const DueMessage* due : open.members) {
    if (!due->shared) turn.changes.push_back(DueHintDropped{due->hint});
  }
}

std::vector<const DueMessage*> DueRuns::Finish(Turn& turn) {
  for (const auto& [place, open] : open_) Close(place.first, open, turn);
  open_.clear();
  return std::exchange(left_, {});
}

}  // namespace wharf
