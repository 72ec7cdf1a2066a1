// Asked: a request with its caller and with what hears its answer; what the pipeline gives to a
// handler.
#pragma once

#include "broker/core/operations/asker.h"
#include "broker/requests/answer.h"
#include "broker/requests/caller.h"
#include "storage/base/time.h"

namespace wharf {

template <typename Request>
struct Asked {
  Caller caller;
  Request request;
  AnswerTo<Request> answer;
  // Of requests about what belongs to whoever began it.
  Asker asker{};
  // By SteadyNow.
  Duration asked_at{};
};

}  // namespace wharf
