// selector_fuzz: any text is a message selector of JMS or a clean error (libFuzzer; tools/dev
// fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/amqp/jms/any_selector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::amqp::jms::TryAnySelector({reinterpret_cast<const char*>(data), size});
  return 0;
}
