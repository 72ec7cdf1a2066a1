#include "broker/core/text.h"

#include <algorithm>

namespace wharf {

// Every byte but those that continue a character.
std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace wharf
