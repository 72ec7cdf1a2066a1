// config_fuzz: any text is a configuration or complaints with lines (libFuzzer; tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/config/any_config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::config::TryAnyConfigFile({reinterpret_cast<const char*>(data), size});
  return 0;
}
