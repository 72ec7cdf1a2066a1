// Incoming: a request that sends as the messages that it means: one, with its properties in
// headers, or several in JSON (RST-1, RST-2). Pure function.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/core/messages/message.h"
#include "broker/doors/http/rest/omitted_names.h"
#include "broker/doors/http/servicebus/call.h"
#include "storage/base/status.h"

namespace wharf::rest {

struct Incoming {
  // At least one.
  std::vector<Message> messages{};
  // Of the body that they came in; of one message all that the client has said.
  std::size_t encoded_bytes = 0;
  // Headers that did not become properties; of a batch none are meant to (RST-2).
  OmittedNames omitted{};
};
// A message without an id gets one (PRP-1). The body is moved out of the request.
Result<Incoming> IncomingOf(ServiceBusRequest& request);

}  // namespace wharf::rest
