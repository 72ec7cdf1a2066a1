// Waiting: what waits for messages of an entity, and uses it by that (ADI-9, ADI-11).
//
// The Dispatcher and the SessionDesk know of some each; the IdleWatch asks them.
#pragma once

#include "storage/base/ids.h"

namespace wharf {

class Waiting {
 public:
  virtual ~Waiting() = default;
  virtual bool HasWaiting(EntityId entity) const = 0;
};

}  // namespace wharf
