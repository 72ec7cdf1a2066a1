// What was locked for a client that will never hear of it goes back, without counting (LCK-14).
//
// Used by doors, on any thread, when a call was cancelled or a stream ended before its answer left.
// Nobody waits for what comes of it: what the broker refuses is not asked again, and ends with its
// lock.
#pragma once

#include "broker/requests/requests.h"

namespace wharf {

// Messages of the entity; however many they are: each request has as many tokens as one may have,
// and all of them together as many as one connection may lock.
void ReleaseUnheard(Requests& requests, const Caller& caller, const EntityRef& entity,
                    const TokenList& tokens);
// A session of the entity.
void ReleaseUnheardSession(Requests& requests, const Caller& caller, const EntityRef& entity,
                           const LockToken& session);

}  // namespace wharf
