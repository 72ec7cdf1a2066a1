// amqp_value_fuzz: any bytes are values of AMQP, or a clean error (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>

#include "tests/amqp/codec/any_value_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::amqp::TryAnyValueBytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
