#include "tools/wharf/text/utf8.h"

#include <iterator>

#include <boost/locale/utf.hpp>

namespace wharf::tool {

namespace utf = boost::locale::utf;

bool IsUtf8(std::string_view bytes) {
  for (const char *at = bytes.data(), *end = at + bytes.size(); at != end;) {
    const utf::code_point point = utf::utf_traits<char>::decode(at, end);
    if (point == utf::illegal || point == utf::incomplete) return false;
  }
  return true;
}

std::string CheckUtf8(const std::string& text) {
  return IsUtf8(text) ? "" : "the text is not UTF-8";
}

std::optional<std::uint32_t> ToCodePoint(std::string_view text) {
  const char* at = text.data();
  const char* end = at + text.size();
  if (at == end) return std::nullopt;
  const utf::code_point point = utf::utf_traits<char>::decode(at, end);
  if (at != end || !utf::is_valid_codepoint(point)) return std::nullopt;
  return point;
}

std::string FromCodePoint(std::uint32_t code_point) {
  std::string text;
  if (!utf::is_valid_codepoint(code_point)) return text;
  utf::utf_traits<char>::encode(code_point, std::back_inserter(text));
  return text;
}

}  // namespace wharf::tool
