// TextOf(Event): what a connection hears, as text: "attached link 2 role=sender", "delivered ...".
#pragma once

#include <string>

#include "broker/doors/amqp/endpoint/events.h"

namespace wharf::amqp {

std::string TextOf(const Event& event);

}  // namespace wharf::amqp
