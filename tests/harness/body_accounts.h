// Compares the bodies in the store with the messages that name them.
#pragma once

#include <string>

#include "storage/store.h"

namespace wharf {

// A sentence for every body, and every row of a copy that shares one, that no message needs, and
// for every message that lacks its own. Nothing may be under way.
std::string FindStrayBodies(const Store& store);

}  // namespace wharf
