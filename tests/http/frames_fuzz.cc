// frames_fuzz: any bytes are frames of a WebSocket, or break a rule (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/http/any_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::TryAnyFrames({reinterpret_cast<const char*>(data), size});
  return 0;
}
