// LargeSource: the body of a large message, chunk by chunk, as it is read from the store while its
// client reads: one chunk in memory at a time, and one on its way (RST-13).
#pragma once

#include <memory>

#include "broker/doors/http/exchange.h"
#include "broker/doors/http/rest/unheard_delivery.h"
#include "broker/doors/http/servicebus/call.h"

namespace wharf::rest {

// Asked on one thread at a time. `lane`: where it was delivered.
HttpSource SourceOf(ServiceBusCallPtr call, std::shared_ptr<const UnheardDelivery> unheard,
                    LaneId lane);

}  // namespace wharf::rest
