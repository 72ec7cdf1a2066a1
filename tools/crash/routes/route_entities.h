// RouteEntities: the topic, the subscriptions and the queues of a routes run, as they are made and
// changed. Plain functions for any thread.
#pragma once

#include <chrono>

#include "storage/base/time.h"
#include "tools/client/client.h"
#include "tools/crash/routes/route.h"

namespace wharf::crash {

// Of every place. The shortest that the broker takes: what was on its way at a kill comes back
// soon.
inline constexpr Duration kRouteLock = std::chrono::seconds(5);

Status MakeEntities(client::Client& client);

// Whether it is meant to forward: such a place cannot be received from.
bool Forwards(Place place);
// Switched off, messages stay there until it is switched on again.
Status SetForwarding(client::Client& client, Place place, bool is_on);

}  // namespace wharf::crash
