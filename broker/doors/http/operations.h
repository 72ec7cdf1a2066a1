// Operations: what an HTTP listener of that kind answers: how the broker is.
//
//   GET /livez    200: the process answers. 503: restarting it would help
//   GET /readyz   200: it does its work; a node of a cluster: it takes part, or waits to be invited.
//                 503: it does not, and why. Either way whether it is insecure, and who leads
//   GET /readyz/leader   the same; 503 also where another node leads, or none: for who sends clients
//                 to the one that does
//
// Text, or JSON for those who accept it. Made by the Daemon.
#pragma once

#include "broker/doors/common/health.h"
#include "broker/doors/http/router.h"

namespace wharf {

// `health` outlives the router.
void AddHealth(Router& router, const Health& health);

}  // namespace wharf
