// What is done with queues, topics and subscriptions at their paths. Used by the AtomHandler.
#pragma once

#include "broker/doors/http/atom/atom_call.h"

namespace wharf::atom {

void GetEntity(const AtomCallPtr& call);
// Makes one; with If-Match it changes one that is there.
void PutEntity(const AtomCallPtr& call);
void DeleteEntity(const AtomCallPtr& call);
// Of queues, or of topics, as the path says.
void ListEntities(const AtomCallPtr& call);
void ListSubscriptions(const AtomCallPtr& call);

}  // namespace wharf::atom
