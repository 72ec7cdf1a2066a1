#include "broker/core/messages/known_ids.h"

#include <algorithm>

namespace wharf {

std::shared_ptr<const IdWatch> IdWatches::Begin(EntityId entity,
                                                const std::vector<DuplicateId>& ids) {
  if (asked_.size() >= sweep_at_) Sweep();
  auto watch = std::make_shared<IdWatch>();
  watch->asked_.reserve(ids.size());
  for (const DuplicateId& id : ids) {
    std::weak_ptr<std::optional<KnownId>>& shared = asked_[{entity, id}];
    IdWatch::Seen seen = shared.lock();
    if (!seen) shared = seen = std::make_shared<std::optional<KnownId>>();
    watch->asked_.emplace_back(id, std::move(seen));
  }
  return watch;
}

void IdWatches::Note(EntityId entity, const DuplicateId& id, const KnownId& known) {
  if (asked_.empty()) return;
  const auto asked = asked_.find(std::pair(entity, id));
  if (asked == asked_.end()) return;
  if (const auto seen = asked->second.lock()) {
    *seen = known;
  } else {
    asked_.erase(asked);
  }
}

// Each time as many came as were left, so that it costs little for each.
void IdWatches::Sweep() {
  absl::erase_if(asked_, [](const auto& each) { return each.second.expired(); });
  sweep_at_ = std::max(kSweepAtLeast, 2 * asked_.size());
}

}  // namespace wharf
