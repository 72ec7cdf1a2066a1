// AnyPeerBytes: gives any bytes to whatever reads what peers say, and checks what must hold however
// they are. For the fuzzer and for the test that makes bytes at random.
#pragma once

#include <string_view>

namespace wharf {

// Aborts if a promise is broken.
void TryAnyPeerBytes(std::string_view bytes);

}  // namespace wharf
