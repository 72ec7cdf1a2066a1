// EntityLatencies: how long things take of one entity that is timed by itself. Few are: those that
// the configuration names (engine/timed_entities.h).
//
// A Queue shows its to those who know it already, so that where there is none that is all they ask.
// Counted and read on any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "storage/base/latency.h"

namespace wharf {

struct EntityLatencies {
  explicit EntityLatencies(std::string entity_path) : path(std::move(entity_path)) {}

  // As the entity is called.
  const std::string path;
  // From a request to its answer.
  Latency send;
  Latency settle;
  // From when a message came to its first delivery.
  Latency wait{Latency::kWaitBounds};
};

// Null: nothing is timed. What is under way holds on to it.
using EntityLatenciesPtr = std::shared_ptr<EntityLatencies>;

}  // namespace wharf
