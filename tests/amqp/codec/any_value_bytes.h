// TryAnyValueBytes: any bytes are values or an error. Ends the program where they are neither.
#pragma once

#include <string_view>

namespace wharf::amqp {

void TryAnyValueBytes(std::string_view bytes);

}  // namespace wharf::amqp
