// Doorway: where clients come in to a door, and whether what they say there is encrypted. A value;
// made by the daemon's Listeners, used by the doors.
#pragma once

#include <memory>

#include "broker/doors/common/certificates.h"
#include "broker/doors/common/listener.h"

namespace wharf {

struct Doorway {
  std::unique_ptr<Listener> listener;
  // Null: it is not.
  std::shared_ptr<const Certificates> certificates{};
};

}  // namespace wharf
