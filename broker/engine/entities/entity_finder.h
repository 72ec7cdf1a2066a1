// EntityFinder: which queue and lane a path means, and what may be done there.
//
// Stateless; owned by the Shard, asked by handlers and workers on its thread.
#pragma once

#include <string_view>

#include "broker/core/entities/catalog.h"
#include "broker/engine/turn/open_state.h"
#include "broker/requests/directory.h"

namespace wharf {

class EntityFinder {
 public:
  struct Target {
    Queue* queue;
    LaneId lane;
  };

  EntityFinder(const Catalog& catalog, const OpenState& open) : catalog_(catalog), open_(open) {}

  // The queue and lane that a path names. All of these fail with the reason once the shard is
  // closed, and where the entity is fenced.
  Result<Target> Resolve(std::string_view path) const;
  // The same for what a request is about: the entity that the directory knew by that path, if it
  // is still there, or else the one that has the path now.
  Result<Target> Resolve(const EntityRef& entity) const;
  // The same for the name of an entity, which is no address of a part of it.
  Result<Target> ResolveEntity(std::string_view name) const;
  Result<Target> ResolveEntity(const EntityRef& entity) const;
  // The same for what keeps messages: no topic (TOP-1).
  Result<Target> ResolveHeld(const EntityRef& entity) const;
  // The same for what messages may be sent to.
  Result<Target> ResolveSend(const EntityRef& entity) const;
  // The entity, unless it was deleted or fenced meanwhile.
  Result<Queue*> FindOpen(EntityId entity) const;

 private:
  // Unless it is fenced.
  static Result<Target> InUse(Queue* queue, LaneKind kind);

  const Catalog& catalog_;
  const OpenState& open_;
};

}  // namespace wharf
