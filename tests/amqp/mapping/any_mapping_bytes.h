// TryAnyMapping: a message of any bytes is the broker's and leaves as it came, or is refused; also
// when it was stored in between. Ends the program where it is otherwise.
#pragma once

#include <string_view>

#include "broker/doors/amqp/message/sections.h"

namespace wharf::amqp {

void TryAnyMapping(const Sections& sections);

}  // namespace wharf::amqp
