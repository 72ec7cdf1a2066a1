// Whether wharfd serves Service Bus over HTTP, and the console: the door of each, if the
// configuration has a listener for it. Used by the daemons, when they are made.
#pragma once

#include <memory>

#include "broker/config/settings.h"
#include "broker/doors/common/health.h"
#include "broker/doors/http/console/console_door.h"
#include "broker/doors/http/servicebus/servicebus_door.h"

namespace wharf {

// Null: it is not listened for. `health` outlives it. `amqp`: serves those that come as WebSockets
// (amqp_listening.h).
std::unique_ptr<ServiceBusDoor> MakeServiceBusDoor(const config::Settings& settings,
                                                   const Health& health, ClientTaker* amqp);
// Null: it is not listened for.
std::unique_ptr<ConsoleDoor> MakeConsoleDoor(const config::Settings& settings);

}  // namespace wharf
