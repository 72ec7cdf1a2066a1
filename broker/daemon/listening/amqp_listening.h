// Whether wharfd serves AMQP: the door, if the configuration has a listener for it, or one for
// HTTP, where it comes over WebSockets. Used by the daemons, when they are made.
#pragma once

#include <memory>

#include "broker/config/settings.h"
#include "broker/doors/amqp/entities/amqp_door.h"

namespace wharf {

// Null: AMQP is not listened for.
std::unique_ptr<amqp::AmqpDoor> MakeAmqpDoor(const config::Settings& settings);

}  // namespace wharf
