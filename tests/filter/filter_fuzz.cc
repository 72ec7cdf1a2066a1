// filter_fuzz: any text is a filter, an action or a clean error (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/filter/word_salad.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::TryText(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
