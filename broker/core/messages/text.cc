#include "broker/core/messages/text.h"

#include <algorithm>

namespace wharf {
namespace {

constexpr std::string_view kCutMark = "...";

bool ContinuesCharacter(char c) { return (c & 0xC0) == 0x80; }

}  // namespace

// Every byte but those that continue a character.
std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCharacter(c); }));
}

std::string Shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max - std::min(bytes_max, kCutMark.size());
  while (end > 0 && ContinuesCharacter(text[end])) --end;
  return std::string(text.substr(0, end)).append(kCutMark);
}

}  // namespace wharf
