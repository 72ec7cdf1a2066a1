// Any bytes are a Config.json of the emulator, or clean complaints: tools/dev fuzz.
#include "tests/emulator/any_config_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  wharf::emulator::ReadAnyConfigJson(bytes, size);
  return 0;
}
