// amqp_door_fuzz: whatever a client says, the door answers or refuses it (libFuzzer; tools/dev
// fuzz).
#include <cstddef>
#include <cstdint>

#include "tests/amqp/connection/any_client.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::amqp::TryAnyClient({reinterpret_cast<const char*>(data), size});
  return 0;
}
