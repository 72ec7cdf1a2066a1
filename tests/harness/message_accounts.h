// Recounts a queue from its rows, to be compared with its counters (I6).
#pragma once

#include <string>
#include <vector>

#include "broker/requests/entity_requests.h"
#include "storage/store.h"

namespace wharf {

// Reads every row of the queue; empty if the counters are right, else a sentence for each that is
// not.
std::string FindWrongCounters(const Store& store, EntityId entity, LaneKind kind,
                              const LaneCounters& counters);

// A sentence for every row of the queue that no message needs, and for every message that lacks
// one. What was purged must have been reclaimed. Bodies that came to this queue may be those of
// messages that are in `others` by now.
std::string FindStrayRows(const Store& store, const QueueSnapshot& queue,
                          const std::vector<QueueSnapshot>& others = {});
// The same but for bodies, for those who compare all of them at once (body_accounts.h).
std::string FindStrayPlaces(const Store& store, const QueueSnapshot& queue);

}  // namespace wharf
