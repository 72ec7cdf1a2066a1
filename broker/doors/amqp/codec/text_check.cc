#include "broker/doors/amqp/codec/text_check.h"

#include <cstdint>
#include <cstring>

#include <utf8proc.h>

namespace wharf::amqp {

namespace {

// How many bytes at the front are ASCII; looks at eight at a time.
std::size_t AsciiPrefix(std::string_view bytes) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t at = 0;
  for (; bytes.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (at < bytes.size() && static_cast<std::uint8_t>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

bool IsAscii(std::string_view bytes) { return AsciiPrefix(bytes) == bytes.size(); }

bool IsUtf8(std::string_view bytes) {
  for (bytes.remove_prefix(AsciiPrefix(bytes)); !bytes.empty();
       bytes.remove_prefix(AsciiPrefix(bytes))) {
    utf8proc_int32_t character = 0;
    const auto taken = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                                        static_cast<utf8proc_ssize_t>(bytes.size()), &character);
    if (taken <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
  return true;
}

}  // namespace wharf::amqp
