// Names for what lives on a connection. None is used again, so one that is kept too long finds
// nothing instead of another one.
#pragma once

#include <cstdint>

#include "storage/base/ids.h"

namespace wharf::amqp {

using SessionId = StrongId<struct AmqpSessionTag, std::uint64_t>;
using LinkId = StrongId<struct AmqpLinkTag, std::uint64_t>;
// Of a session, and one of its directions. The low half is the delivery-id on the wire.
using DeliveryId = StrongId<struct AmqpDeliveryTag, std::uint64_t>;

}  // namespace wharf::amqp
