// What is asked about where a message is.
#pragma once

#include "broker/core/messages/message_place.h"
#include "broker/requests/entity_ref.h"

namespace wharf {

// A page of the search in one entity, a topic with its subscriptions; or, where the path is empty,
// in all. No lane: an entity as a whole.
struct TraceRequest {
  using Response = TracePage;
  EntityRef entity{};
  WantedMessage wanted{};
  TracePosition from{};
};

}  // namespace wharf
