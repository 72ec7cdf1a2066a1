// Checks that what waits in the tracks of a queue stands in the table `order`, and nothing else.
#pragma once

#include <string>

#include "broker/requests/entity_requests.h"
#include "storage/store.h"

namespace wharf {

// Of a queue without sessions. Reads every row of the queue; empty if all is right, else a sentence
// for each row that is not. What was purged must have been reclaimed.
std::string FindWrongTracks(const Store& store, const QueueSnapshot& queue);

}  // namespace wharf
