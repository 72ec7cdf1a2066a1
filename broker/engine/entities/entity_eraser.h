// EntityEraser: deletes entities that nobody asked to delete.
//
// The Entities are one; asked by the IdleWatch.
#pragma once

#include <string_view>

#include "broker/core/entities/queue_description.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

class EntityEraser {
 public:
  virtual ~EntityEraser() = default;
  // That is no use of a subscription's topic (ADI-4).
  virtual Status EraseEntity(EntityKind kind, std::string_view name, Turn& turn) = 0;
};

}  // namespace wharf
