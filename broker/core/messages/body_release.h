// Which shared bodies a change lets go: the copy that it takes away shared its body with others.
#pragma once

#include <vector>

#include "broker/core/changes/change.h"

namespace wharf {

// Appends them; each with the handle of the copy that is gone.
void AppendReleasedBodies(const Change& change, std::vector<BodyRef>& bodies);

}  // namespace wharf
