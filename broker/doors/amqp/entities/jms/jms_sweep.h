// JmsSweep: removes what goes with its JMS users and was left by a broker that is gone (JMS-4,
// JMS-7): temporary queues and topics, and subscriptions that are not durable. A function; used by
// BrokerDoor when there is a broker, and done on that one's threads.
#pragma once

#include <functional>

#include "broker/doors/amqp/entities/jms/jms_world.h"
#include "broker/requests/requests.h"

namespace wharf::amqp {

// What somebody uses by then stays. `is_open` says whether there still is a broker for the door; it
// stops where there is none.
void SweepJms(Requests& requests, const JmsWorld& jms, std::function<bool()> is_open);

}  // namespace wharf::amqp
