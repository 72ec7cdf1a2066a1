// Elsewhere: who has the first word on a client that comes to a door, before a byte of it is read:
// it may be for the door of another node. Called on the threads of listeners.
#pragma once

#include <functional>

#include "storage/base/descriptor.h"

namespace wharf {

// Whether the client was taken there, with its connection. Empty: nobody is.
using Elsewhere = std::function<bool(Descriptor& connection, bool has_tls)>;

}  // namespace wharf
