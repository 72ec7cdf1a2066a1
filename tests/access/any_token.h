// AnyToken: reads any text as a token and as a connection string, and checks what must hold of both
// whatever was read. For the fuzzer and for the test that makes texts at random.
#pragma once

#include <string_view>

namespace wharf::access {

// Aborts if a promise is broken.
void TryAnyToken(std::string_view text);

}  // namespace wharf::access
