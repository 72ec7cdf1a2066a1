// Recounts a queue from its rows, to be compared with its counters (I6).
#pragma once

#include <string>

#include "broker/core/change.h"
#include "storage/store.h"

namespace wharf {

// Reads every row of the queue; empty if the counters are right, else a sentence for each that is
// not.
std::string FindWrongCounters(const Store& store, EntityId entity, LaneKind kind,
                              const LaneCounters& counters);

// A sentence for every row in the messages, bodies or deliveries that no message needs, and for
// every body that is marked as such.
std::string FindStrayRows(const Store& store, EntityId entity);

}  // namespace wharf
