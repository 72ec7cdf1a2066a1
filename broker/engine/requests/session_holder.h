// NoteHolder: who comes with the token of a session holds it, whoever has accepted it.
//
// After a start that is how the broker hears who does. Used on the shard's thread.
#pragma once

#include "broker/core/order/session_book.h"
#include "broker/requests/caller.h"

namespace wharf {

// One that is known by its connection costs nothing: receives come often.
void NoteHolder(Session& session, const Caller& caller);

}  // namespace wharf
