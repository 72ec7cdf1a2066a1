#include "broker/engine/requests/session_holder.h"

#include "broker/requests/actor.h"

namespace wharf {

void NoteHolder(Session& session, const Caller& caller) {
  const ActorPtr& known = session.holder();
  if (known != nullptr && IsActor(*known, caller)) return;
  session.NoteHolder(ActorOf(caller));
}

}  // namespace wharf
