// Operators: what is for operators is shown, where everybody can ask, to who may manage the
// namespace.
//
// As Prometheus sends it: `Authorization: Basic` with the name of a rule of the namespace and one
// of its keys; or a shared access signature, alone or behind Bearer. Where an asker is known
// already (common/doorway.h) nothing has to be proven. A node of a cluster that has no rules yet
// lets in who asks from its own machine.
#pragma once

#include "broker/doors/common/guard_gate.h"
#include "broker/doors/http/exchange.h"

namespace wharf {

// The handler, for them alone. Refusals are counted and logged by the guard. `guard` outlives it.
HttpHandler ForOperators(const GuardGate& guard, HttpHandler handler);

}  // namespace wharf
