// Outgoing: a message that is delivered as an answer over HTTP: its body, what the broker knows of
// it, and each of its properties in a header of its own (RST-3, RST-4).
//
// What a sender wrote can never become a header of ours: what has no place in one is left out, and
// named in `x-wharf-omitted`. Pure function.
#pragma once

#include <string_view>

#include "broker/core/queue/queue.h"
#include "broker/doors/http/exchange.h"
#include "broker/doors/http/servicebus/call.h"

namespace wharf::rest {

// Without a large body, whose source is the caller's to give. `entity`: as the client wrote it.
HttpResponse ResponseOf(const Delivered& delivered, const ServiceBusRequest& request,
                        std::string_view entity);

// One that says nothing but its status.
HttpResponse EmptyAnswer(unsigned status);

}  // namespace wharf::rest
