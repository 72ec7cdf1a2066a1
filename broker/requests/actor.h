// ActorOf: in whose name a caller asks, as event logs tell it.
#pragma once

#include "broker/core/messages/message_event.h"
#include "broker/requests/caller.h"

namespace wharf {

// Null: it is the broker itself.
ActorPtr ActorOf(const Caller& caller);
// Whether it asks in that name; makes nothing.
bool IsActor(const Actor& actor, const Caller& caller);

}  // namespace wharf
