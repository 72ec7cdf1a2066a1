#include "broker/doors/http/servicebus/utf8.h"

namespace wharf {
namespace {

constexpr char32_t kEnd = 0x110000;

bool IsSurrogate(char32_t character) { return character >= 0xD800 && character <= 0xDFFF; }

}  // namespace

std::size_t Utf8LengthOf(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (text.size() < length) return 0;
  char32_t character = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return 0;
    character = (character << 6U) | (next & 0x3FU);
  }
  const bool is_short = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  return is_short || IsSurrogate(character) || character >= kEnd ? 0 : length;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8LengthOf(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void AppendUtf8(char32_t character, std::string& text) {
  if (character >= kEnd || IsSurrogate(character)) character = 0xFFFD;
  const auto add = [&text](char32_t bits) { text += static_cast<char>(bits); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xC0U | (character >> 6U));
  } else {
    if (character < 0x10000) {
      add(0xE0U | (character >> 12U));
    } else {
      add(0xF0U | (character >> 18U));
      add(0x80U | ((character >> 12U) & 0x3FU));
    }
    add(0x80U | ((character >> 6U) & 0x3FU));
  }
  add(0x80U | (character & 0x3FU));
}

}  // namespace wharf
