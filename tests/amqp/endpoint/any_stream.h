// TryAnyStream: any bytes are a conversation that a broker can have, or are refused; what is
// answered can be read, and does not grow without bounds. Ends the program where it is otherwise.
#pragma once

#include <string_view>

namespace wharf::amqp {

// The first byte says how far the peer has come before, and how large the pieces are.
void TryAnyStream(std::string_view bytes);

}  // namespace wharf::amqp
