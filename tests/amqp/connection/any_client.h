// TryAnyClient: whatever a client says, the door answers or refuses it; its answers can be read,
// and what it holds has its bounds. Ends the program where it is otherwise.
#pragma once

#include <string>
#include <string_view>

namespace wharf::amqp {

// The first byte says how the client has come in before, and how large the pieces are.
void TryAnyClient(std::string_view bytes);

// What a client of the door says that is in: links to `$cbs`, of the handles 100 and 101, and a
// token.
std::string SampleClaims();

}  // namespace wharf::amqp
