// Metrics: GET /metrics, in the format that is asked for.
//
// The numbers are read where they are counted, without a lock that the shard waits for, and written
// a piece at a time while the client reads. A few answers at a time; more are told to come again,
// unless one of them has been read for long: then that ends (AnswerPlaces).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "broker/doors/common/certificates.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/doors/common/health.h"
#include "broker/doors/common/statistics_gate.h"
#include "broker/doors/http/answer_places.h"
#include "broker/doors/http/router.h"

namespace wharf {

// What metrics are made of, and who may see them.
struct MetricSources {
  // All three outlive the router.
  const Health& health;
  const StatisticsGate& statistics;
  const GuardGate& guard;
  // Of listeners with TLS; null: there are none.
  std::shared_ptr<const Certificates> certificates{};
  // Of HTTP that are open. Any thread.
  std::function<std::size_t()> http_connections{};
  // Tells for how long an answer is read.
  AnswerPlaces::Now now = SteadyNow;
};

// For operators (operators.h).
void AddMetrics(Router& router, MetricSources sources);

}  // namespace wharf
