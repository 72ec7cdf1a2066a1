// OneMoreLoss: what would be lost if one more node died, in one sentence for the person on call.
//
// A pure function of what a node says of its cluster; shown with it by the doors.
#pragma once

#include <string>

#include "broker/requests/cluster_control.h"

namespace wharf {

std::string OneMoreLoss(const ClusterStatus& status);

}  // namespace wharf
