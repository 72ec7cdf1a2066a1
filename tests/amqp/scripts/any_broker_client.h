// TryAnyBrokerClient: whatever a client says to the door with a whole broker behind it, it is
// answered or refused; when it has gone nothing of it is left, and the next client is served. Ends
// the program where it is otherwise.
//
// There are the queue `q`, the queue `letters`, which has sessions, and the topic `t` with the
// subscription `s`.
#pragma once

#include <string>
#include <vector>

#include "tests/amqp/scripts/client_script.h"

namespace wharf::amqp {

// What it heard, one line for each frame.
std::vector<std::string> TryAnyBrokerClient(const ClientScript& script);

}  // namespace wharf::amqp
