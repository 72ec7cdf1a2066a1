// Fail: ends a call with an error, in the words of Service Bus over HTTP, and tells the log under
// the same tracking id. Any thread.
#pragma once

#include <string_view>

#include "broker/doors/http/servicebus/call.h"
#include "broker/doors/http/servicebus/error_answer.h"

namespace wharf {

// By the clock of the machine.
Timestamp WallNow();

// The answer, and the line of the log; nobody is answered yet.
HttpResponse ErrorFor(ServiceBusCall& call, const Status& status, ErrorPlane plane);

// The same for what only HTTP can ask wrong: a method that is not there, a condition that fails.
HttpResponse ErrorFor(ServiceBusCall& call, unsigned status, std::string_view why,
                      ErrorPlane plane);

inline void Fail(ServiceBusCall& call, const Status& status, ErrorPlane plane) {
  call.Answer(ErrorFor(call, status, plane));
}

}  // namespace wharf
