// How calls of the service Topics are answered. Used by its files.
#pragma once

#include "broker/doors/grpc/convert/convert_topic.h"
#include "broker/requests/requests.h"

namespace wharf {

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
