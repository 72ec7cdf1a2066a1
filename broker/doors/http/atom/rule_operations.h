// What is done with the rules of subscriptions at their paths. Used by the AtomHandler.
#pragma once

#include "broker/doors/http/atom/atom_call.h"

namespace wharf::atom {

void GetRule(const AtomCallPtr& call);
// Makes one; with If-Match it changes one that is there.
void PutRule(const AtomCallPtr& call);
void DeleteRule(const AtomCallPtr& call);
void ListRules(const AtomCallPtr& call);

}  // namespace wharf::atom
