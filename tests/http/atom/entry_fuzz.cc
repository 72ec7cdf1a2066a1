// entry_fuzz: any text is an entry of management or a clean error (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/http/atom/any_entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::atom::TryAnyEntry({reinterpret_cast<const char*>(data), size});
  return 0;
}
