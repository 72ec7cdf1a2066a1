#include "tests/amqp/hex.h"

#include <cctype>
#include <cstdlib>

namespace wharf::amqp {

namespace {

// Up to the end, or behind the bracket that closes.
std::string Part(std::string_view& hex) {
  std::string bytes;
  while (!hex.empty()) {
    const char first = hex[0];
    hex.remove_prefix(1);
    if (first == ']') break;
    if (first == '[') {
      const std::string inside = Part(hex);
      bytes += static_cast<char>(inside.size());
      bytes += inside;
    } else if (first == '\'') {
      const std::size_t end = hex.find('\'');
      bytes += hex.substr(0, end);
      hex.remove_prefix(end + 1);
    } else if (std::isspace(static_cast<unsigned char>(first)) == 0) {
      bytes +=
          static_cast<char>(std::strtol((std::string(1, first) + hex[0]).c_str(), nullptr, 16));
      hex.remove_prefix(1);
    }
  }
  return bytes;
}

}  // namespace

std::string FromHex(std::string_view hex) { return Part(hex); }

}  // namespace wharf::amqp
