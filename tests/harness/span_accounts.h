// Checks that what was counted out is rightly so.
#pragma once

#include <string>

#include "broker/schema/loader.h"
#include "storage/store.h"

namespace wharf {

// A sentence for everything that is wrong: a span that is no current main lane's, or cannot be
// read; a covered message, if its row is still there, that has a body of its own, or a row in
// `delivery`. Nothing may be under way, and what was purged must have been reclaimed.
std::string FindWrongSpans(const Store& store, const BrokerImage& image);

}  // namespace wharf
