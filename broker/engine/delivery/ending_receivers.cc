#include "broker/engine/delivery/ending_receivers.h"

#include <utility>

namespace wharf {

void EndingReceivers::Add(LaneId lane, Receivers receivers, const Status& reason) {
  if (receivers.empty()) return;
  const auto [ending, is_new] = lanes_.try_emplace(lane, Ending{{}, reason});
  if (is_new) {
    ending->second.receivers = std::move(receivers);
  } else {
    ending->second.receivers.merge(receivers);
  }
}

void EndingReceivers::AddEveryone(const Status& reason) {
  if (!everyone_) everyone_ = reason;
}

bool EndingReceivers::Remove(LaneId lane, HolderId receiver) {
  const auto ending = lanes_.find(lane);
  if (ending == lanes_.end() || ending->second.receivers.erase(receiver) == 0) return false;
  if (ending->second.receivers.empty()) lanes_.erase(ending);
  return true;
}

bool EndingReceivers::Has(LaneId lane, HolderId receiver) const {
  if (everyone_) return true;
  const auto ending = lanes_.find(lane);
  return ending != lanes_.end() && ending->second.receivers.contains(receiver);
}

std::optional<EndingReceivers::Next> EndingReceivers::next() const {
  if (lanes_.empty()) return std::nullopt;
  const Ending& ending = lanes_.begin()->second;
  return Next{*ending.receivers.begin(), ending.reason};
}

}  // namespace wharf
