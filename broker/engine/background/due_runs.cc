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
  counted_out_.emplace(shelf, open.run.limits);
  for (const DueMessage* due : open.members) {
    if (!due->shared) turn.changes.push_back(DueHintDropped{due->hint});
  }
}

// As far as it reaches everything is as it would be for each of its messages; they are too many for
// a look at each.
bool DueRuns::Take(const DueRun& due, const PageWatch& watch, Turn& turn) {
  if (context_.catalog.HaveChanged(due.lane, due.run.AsOf(turn.now), watch)) return Refuse(due);
  Expiry& expiry = context_.catalog.FindShelf(due.lane)->expiry();
  if (!expiry.CanExpireRuns(due.lane.kind)) return Refuse(due);
  context_.touched.Touch(due.lane.lane());
  if (!expiry.ExpireRun(due.run, turn.now, turn.changes)) return Refuse(due);
  counted_out_.emplace(due.lane, due.run.limits);
  return true;
}

bool DueRuns::Refuse(const DueRun& due) {
  refused_.push_back(due.lane);
  return false;
}

ShelvesInRuns DueRuns::TakeShelves() {
  for (const Shelf& shelf : refused_) counted_out_.erase(shelf);
  refused_.clear();
  return std::exchange(counted_out_, {});
}

std::vector<const DueMessage*> DueRuns::Finish(Turn& turn) {
  for (const auto& [place, open] : open_) Close(place.first, open, turn);
  open_.clear();
  return std::exchange(left_, {});
}

}  // namespace wharf
