// How calls of the service Topics read their requests and are answered. Used by its files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "broker/core/names.h"
#include "broker/engine/broker.h"
#include "broker/grpc/convert_topic.h"

namespace wharf {

// 0: as many as by default; never more than there may be.
inline std::uint32_t PageSizeOf(std::uint32_t asked, std::uint32_t by_default = 100,
                                std::uint32_t max = 1000) {
  return asked == 0 ? by_default : std::min(asked, max);
}

// The path of the subscription that a request names in two fields.
template <typename Request>
std::string SubscriptionPathOf(const Request& request) {
  return SubscriptionPath(request.topic(), request.subscription());
}

// Answers a call with the properties of an entity.
template <typename Call>
Answer<QueueSnapshot> AnswerProperties(Call& call) {
  return [&call](Result<QueueSnapshot> snapshot) {
    if (!snapshot.ok()) return call.Fail(snapshot.status());
    ToProto(snapshot->record, &call.response());
    call.Succeed();
  };
}

// Answers a call with the counters of an entity.
template <typename Call>
Answer<QueueSnapshot> AnswerRuntime(Call& call) {
  return [&call](Result<QueueSnapshot> snapshot) {
    if (!snapshot.ok()) return call.Fail(snapshot.status());
    ToProto(*snapshot, &call.response());
    call.Succeed();
  };
}

}  // namespace wharf
