// Metrics: GET /metrics, in the format that is asked for.
//
// The numbers are read where they are counted, without a lock that the shard waits for, and written
// a piece at a time while the client reads. A few answers at a time; more are told to come again.
#pragma once

#include <memory>

#include "broker/doors/common/certificates.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/doors/common/health.h"
#include "broker/doors/common/statistics_gate.h"
#include "broker/doors/http/router.h"

namespace wharf {

// For operators (operators.h). What is given outlives the router. `certificates`: of listeners with
// TLS; null: there are none.
void AddMetrics(Router& router, const Health& health, const StatisticsGate& statistics,
                const GuardGate& guard, std::shared_ptr<const Certificates> certificates);

}  // namespace wharf
