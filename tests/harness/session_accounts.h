// Recounts the sessions of a queue from its rows.
#pragma once

#include <string>

#include "broker/requests/entity_requests.h"
#include "storage/store.h"

namespace wharf {

// A sentence for everything that is wrong: a waiting message without its row of order, or a row
// without its message; a locked one whose session nobody holds; a session that could be accepted
// next and is offered nowhere; bytes of states that are counted wrongly. What was purged must have
// been reclaimed.
std::string FindWrongSessions(const Store& store, const QueueSnapshot& queue);

}  // namespace wharf
