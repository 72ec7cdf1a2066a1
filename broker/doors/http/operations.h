// Operations: what an HTTP listener of that kind answers: how the broker is.
//
//   GET /livez          200: the process answers. 503: restarting it would help
//   GET /readyz         200: it does its work, or as a node of a cluster takes part or waits to be
//                       invited. 503: it does not, and why. Either way whether it is insecure
//   GET /readyz/leader  the same; of a node 503 also where it does not lead: for who sends clients
//
// Text, or JSON for those who accept it. Made by the Daemon.
#pragma once

#include "broker/doors/common/health.h"
#include "broker/doors/http/router.h"

namespace wharf {

// `health` outlives the router.
void AddHealth(Router& router, const Health& health);

}  // namespace wharf
