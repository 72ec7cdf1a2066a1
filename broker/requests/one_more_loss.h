// OneMoreLoss: what would be lost if one more node died, in one sentence for the person on call, or
// as a number.
//
// Pure functions of what a node says of its cluster; shown with it by the doors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "broker/requests/cluster_control.h"

namespace wharf {

std::string OneMoreLoss(const ClusterStatus& status);
// How many of those that are reached may die without stopping the cluster. Nothing: this node does
// not lead, so it does not know.
std::optional<std::size_t> FailuresSurvived(const ClusterStatus& status);

}  // namespace wharf
