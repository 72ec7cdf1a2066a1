// Doorway: where clients come in to a door, whether what they say there is encrypted, and whether
// anybody may come. A value; made by the daemon's Listeners, used by the doors.
#pragma once

#include <memory>

#include "broker/doors/common/certificates.h"
#include "broker/doors/common/listener.h"

namespace wharf {

struct Doorway {
  std::unique_ptr<Listener> listener;
  // Null: it is not.
  std::shared_ptr<const Certificates> certificates{};
  // Only this machine reaches it, of Unix sockets this user. That all have certificates is not
  // enough: which of them may do what, their rules say.
  bool knows_its_clients = true;
};

}  // namespace wharf
