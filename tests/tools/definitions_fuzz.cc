// definitions_fuzz: any text is definitions or one sentence with a place (libFuzzer; tools/dev
// fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/tools/any_definitions_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::tool::TryAnyDefinitionsFile({reinterpret_cast<const char*>(data), size});
  return 0;
}
