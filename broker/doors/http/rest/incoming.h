// Incoming: a request that sends as the messages that it means: one, with its properties in
// headers, or several in JSON (RST-1, RST-2). Pure function.
#pragma once

#include <vector>

#include "broker/core/messages/message.h"
#include "broker/doors/http/servicebus/call.h"
#include "storage/base/status.h"

namespace wharf::rest {

// One without an id gets one (PRP-1). The body is moved out of the request.
Result<std::vector<Message>> MessagesOf(ServiceBusRequest& request);

}  // namespace wharf::rest
