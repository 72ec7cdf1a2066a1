// Asked: a request with its caller and with what hears its answer; what the pipeline gives to a
// handler.
#pragma once

#include "broker/requests/answer.h"
#include "broker/requests/caller.h"

namespace wharf {

template <typename Request>
struct Asked {
  Caller caller;
  Request request;
  AnswerTo<Request> answer;
};

}  // namespace wharf
