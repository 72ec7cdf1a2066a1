// Fail: ends a call with an error, in the words of Service Bus over HTTP, and tells the log under
// the same tracking id. Any thread.
#pragma once

#include "broker/doors/http/servicebus/call.h"
#include "broker/doors/http/servicebus/error_answer.h"

namespace wharf {

// By the clock of the machine.
Timestamp WallNow();

// The answer, and the line of the log; nobody is answered yet.
HttpResponse ErrorFor(ServiceBusCall& call, const Status& status, ErrorPlane plane);

inline void Fail(ServiceBusCall& call, const Status& status, ErrorPlane plane) {
  call.Answer(ErrorFor(call, status, plane));
}

}  // namespace wharf
