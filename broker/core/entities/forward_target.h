// ForwardTarget: where a queue may forward its messages to, and where they go.
//
// Asked by the Catalog when a queue is created or changed, and by the engine whenever it forwards.
#pragma once

#include <string>

#include "broker/core/entities/catalog.h"

namespace wharf {

// The entity that messages are forwarded to by this name; or why nothing can be.
Result<Queue*> FindForwardTarget(const Catalog& catalog, const std::string& name);

// Whether `source` may forward to what it says (FWD-2, FWD-3). A circle of queues that all forward,
// or of topics and subscriptions, is refused: no message would ever come to rest. One that leads
// over a dead-letter queue is not: only what failed takes it, and only as often as the limit of
// hops allows.
Status CheckForwarding(EntityKind kind, const QueueDescription& source, const Catalog& catalog);

}  // namespace wharf
