// amqp_value_fuzz: any bytes are values and messages of AMQP, or a clean error (libFuzzer;
// tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/amqp/codec/any_value_bytes.h"
#include "tests/amqp/message/any_message_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wharf::amqp::TryAnyValueBytes(bytes);
  wharf::amqp::TryAnyMessageBytes(bytes);
  return 0;
}
