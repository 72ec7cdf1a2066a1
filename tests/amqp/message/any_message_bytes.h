// TryAnyMessageBytes: any bytes are a message, whose sections can be rewritten and are then what
// they were, and which leaves the broker as it came; or an error. Ends the program where it is
// otherwise.
#pragma once

#include <string_view>

namespace wharf::amqp {

void TryAnyMessageBytes(std::string_view bytes);

}  // namespace wharf::amqp
