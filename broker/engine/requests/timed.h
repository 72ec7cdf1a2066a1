// Timed: an answer that tells an entity how long it took, if that is timed by itself.
#pragma once

#include <utility>

#include "broker/core/queue/entity_latencies.h"
#include "broker/requests/answer.h"
#include "storage/base/log_limit.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// `asked_at`: by SteadyNow. `kind`: the histogram that it counts in.
template <typename T>
Answer<T> Timed(const EntityLatenciesPtr& latencies, Latency EntityLatencies::*kind,
                Duration asked_at, Answer<T> answer) {
  if (latencies == nullptr) return answer;
  return [latencies, kind, asked_at, answer = std::move(answer)](Result<T> result) mutable {
    ((*latencies).*kind).Note(SteadyNow() - asked_at);
    std::move(answer)(std::move(result));
  };
}

}  // namespace wharf
