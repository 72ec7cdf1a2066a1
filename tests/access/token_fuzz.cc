// token_fuzz: any text is a token, a connection string or a clean error (libFuzzer; tools/dev
// fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/access/any_token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::access::TryAnyToken({reinterpret_cast<const char*>(data), size});
  return 0;
}
