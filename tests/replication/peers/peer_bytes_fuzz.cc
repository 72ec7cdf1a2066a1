// peer_bytes_fuzz: any bytes are frames, handshakes and pings, or a clean error (libFuzzer;
// tools/dev fuzz).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/replication/peers/any_peer_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wharf::TryAnyPeerBytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
