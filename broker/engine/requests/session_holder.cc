#include "broker/engine/requests/session_holder.h"

#include "broker/requests/actor.h"

namespace wharf {

void NoteHolder(Session& session, const Caller& caller) {
  const ActorPtr& known = session.holder();
  if (known != nullptr && known->peer == caller.peer) return;
  session.NoteHolder(ActorOf(caller));
}

}  // namespace wharf
