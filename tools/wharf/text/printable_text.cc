#include "tools/wharf/text/printable_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <utf8proc.h>

namespace wharf::tool {
namespace {

constexpr std::string_view kCutMark = "…";
constexpr std::size_t kCutMarkWidth = 1;
constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();
// Accents over one letter: more would be a tower over the lines above.
constexpr std::size_t kAccentsMax = 4;

constexpr utf8proc_int32_t kZeroWidthNonJoiner = 0x200c;
constexpr utf8proc_int32_t kZeroWidthJoiner = 0x200d;

// What stands next in a text: a character, or a byte that belongs to none.
struct Glyph {
  std::string_view bytes;
  utf8proc_int32_t code_point = -1;  // -1: no UTF-8
};

Glyph TakeGlyph(std::string_view& text) {
  Glyph glyph;
  const auto* begin = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  const utf8proc_ssize_t length = utf8proc_iterate(begin, size, &glyph.code_point);
  if (length <= 0) glyph.code_point = -1;
  glyph.bytes = text.substr(0, length <= 0 ? 1 : static_cast<std::size_t>(length));
  text.remove_prefix(glyph.bytes.size());
  return glyph;
}

bool IsVisible(utf8proc_int32_t code_point) {
  if (code_point == kZeroWidthNonJoiner || code_point == kZeroWidthJoiner) return true;
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

std::size_t WidthOfVisible(utf8proc_int32_t code_point) {
  return static_cast<std::size_t>(utf8proc_charwidth(code_point));
}

std::string Escape(const Glyph& glyph) {
  switch (glyph.code_point) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case -1:
      return fmt::format("\\x{:02x}", static_cast<std::uint8_t>(glyph.bytes[0]));
    default:
      return glyph.code_point < 0x80 ? fmt::format("\\x{:02x}", glyph.code_point)
                                     : fmt::format("\\u{{{:x}}}", glyph.code_point);
  }
}

// A character outside the first plane is a pair of surrogates.
void AppendJsonEscape(std::uint32_t code_point, std::string& text) {
  if (code_point < 0x10000) {
    text += fmt::format("\\u{:04x}", code_point);
  } else {
    const std::uint32_t rest = code_point - 0x10000;
    text += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
  }
}

// The printable form of a text, as it grows.
class Line {
 public:
  explicit Line(std::size_t width_max) : width_max_(width_max) {}

  // False if the glyph did not fit: the line ends with the mark, then.
  bool Append(const Glyph& glyph) {
    const bool is_visible = glyph.code_point >= 0 && IsVisible(glyph.code_point);
    const std::size_t width = is_visible ? WidthOfVisible(glyph.code_point) : 0;
    accents_ = is_visible && width == 0 ? accents_ + 1 : 0;
    if (is_visible && accents_ <= kAccentsMax) return Put(glyph.bytes, width);
    const std::string escape = Escape(glyph);
    return Put(escape, escape.size());
  }

  std::string Take() { return std::move(text_); }

 private:
  bool Put(std::string_view bytes, std::size_t width) {
    if (width > width_max_ - width_) {
      text_.resize(size_before_mark_);
      text_ += kCutMark;
      return false;
    }
    text_ += bytes;
    width_ += width;
    // As long as the mark fits behind it.
    if (width_ + kCutMarkWidth <= width_max_) size_before_mark_ = text_.size();
    return true;
  }

  const std::size_t width_max_;
  std::string text_;
  std::size_t width_ = 0;
  std::size_t accents_ = 0;
  std::size_t size_before_mark_ = 0;
};

std::string Render(std::string_view text, Line line) {
  while (!text.empty() && line.Append(TakeGlyph(text))) {
  }
  return line.Take();
}

}  // namespace

std::string Printable(std::string_view text) { return Printable(text, kAnyWidth); }

std::string Printable(std::string_view text, std::size_t width_max) {
  if (width_max == 0) return "";
  return Render(text, Line(width_max));
}

std::string PrintableLines(std::string_view text) {
  std::string lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines += Printable(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return lines + Printable(text);
}

std::string WithJsonEscapes(std::string text) {
  const auto is_plain = [](char letter) { return letter >= ' ' && letter <= '~'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string escaped;
  for (std::string_view rest = text; !rest.empty();) {
    const Glyph glyph = TakeGlyph(rest);
    if (IsVisible(glyph.code_point)) {
      escaped += glyph.bytes;
    } else {
      AppendJsonEscape(static_cast<std::uint32_t>(glyph.code_point), escaped);
    }
  }
  return escaped;
}

std::size_t SizeInJson(std::string_view text) {
  constexpr std::size_t kEscapeSize = 6;
  std::size_t size = 0;
  while (!text.empty()) {
    const char next = text.front();
    if (next >= ' ' && next <= '~') {
      size += next == '"' || next == '\\' ? 2 : 1;
      text.remove_prefix(1);
    } else if (std::string_view("\b\f\n\r\t").find(next) != std::string_view::npos) {
      size += 2;
      text.remove_prefix(1);
    } else {
      const Glyph glyph = TakeGlyph(text);
      const std::size_t escaped = glyph.code_point < 0x10000 ? kEscapeSize : 2 * kEscapeSize;
      size += IsVisible(glyph.code_point) ? glyph.bytes.size() : escaped;
    }
  }
  return size;
}

std::size_t WidthOf(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += WidthOfVisible(TakeGlyph(text).code_point);
  return width;
}

namespace {

// How many bytes of it fit; of a text that is not empty at least one glyph.
std::size_t FittingBytes(std::string_view text, std::size_t width_max) {
  std::string_view rest = text;
  std::size_t width = WidthOfVisible(TakeGlyph(rest).code_point);
  std::size_t fitting = text.size() - rest.size();
  while (!rest.empty()) {
    width += WidthOfVisible(TakeGlyph(rest).code_point);
    if (width > width_max) break;
    fitting = text.size() - rest.size();
  }
  return fitting;
}

}  // namespace

std::vector<std::string> Wrapped(std::string_view text, std::size_t width_max) {
  std::vector<std::string> lines;
  while (WidthOf(text) > width_max) {
    const std::size_t fitting = FittingBytes(text, width_max);
    // A space that no longer fits ends a line as well.
    const std::size_t space = text.rfind(' ', fitting);
    const bool is_at_space = space != std::string_view::npos && space > 0;
    lines.emplace_back(text.substr(0, is_at_space ? space : fitting));
    text.remove_prefix(is_at_space ? space + 1 : fitting);
  }
  if (lines.empty() || !text.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace wharf::tool
