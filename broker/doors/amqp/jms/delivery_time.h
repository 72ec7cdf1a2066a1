// DeliveryTime: when a message of a JMS producer with a delivery delay may be delivered. A pure
// function; used for what links send, where JMS is served.
#pragma once

#include "broker/core/messages/message.h"
#include "storage/base/status.h"

namespace wharf::amqp::jms {

// Its annotation as the time that it is scheduled for, unless it says one itself; the annotation
// stays, for its consumer reads it. An error if it is no time from 1970 to 9999.
Status TakeDeliveryTime(Message& message);

}  // namespace wharf::amqp::jms
