// amqp_stream_fuzz: any bytes are a conversation, or are refused (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>

#include "tests/amqp/endpoint/any_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::amqp::TryAnyStream({reinterpret_cast<const char*>(data), size});
  return 0;
}
