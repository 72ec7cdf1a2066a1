// Asked: a request with who asked it and who hears the answer; what the pipeline gives to a
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
