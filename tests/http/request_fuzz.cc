// request_fuzz: any text is a request of Service Bus or a clean error (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/http/any_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::TryAnyRequest({reinterpret_cast<const char*>(data), size});
  return 0;
}
