#include "broker/doors/http/rest/message_body.h"

#include <optional>
#include <string_view>

#include "broker/core/messages/encoded_value.h"

namespace wharf::rest {
namespace {

constexpr std::string_view kDataDescriptor("\x00\x53\x75", 3);
constexpr std::string_view kValueDescriptor("\x00\x53\x77", 3);
constexpr char kShortBinary = '\xA0';
constexpr char kLongBinary = '\xB0';

// How many bytes of it are binary, with what says so; 0: it does not begin with any.
std::size_t BinaryBytesOf(std::string_view encoded) {
  if (encoded.size() >= 2 && encoded[0] == kShortBinary) {
    return 2 + static_cast<unsigned char>(encoded[1]);
  }
  if (encoded.size() < 5 || encoded[0] != kLongBinary) return 0;
  std::size_t size = 0;
  for (std::size_t i = 1; i < 5; ++i) size = size << 8U | static_cast<unsigned char>(encoded[i]);
  return 5 + size;
}

// All of several sections; nothing if they are none.
std::optional<std::string> DataIn(std::string_view sections) {
  std::string data;
  while (!sections.empty()) {
    if (!sections.starts_with(kDataDescriptor)) return std::nullopt;
    sections.remove_prefix(kDataDescriptor.size());
    const std::size_t bytes = BinaryBytesOf(sections);
    const auto binary =
        bytes > 0 && bytes <= sections.size() ? BinaryOf(sections.substr(0, bytes)) : std::nullopt;
    if (!binary) return std::nullopt;
    data += *binary;
    sections.remove_prefix(bytes);
  }
  return data;
}

std::optional<std::string> ValueIn(std::string_view section) {
  if (!section.starts_with(kValueDescriptor)) return std::nullopt;
  section.remove_prefix(kValueDescriptor.size());
  auto plain = TextOf(section);
  if (!plain) plain = BinaryOf(section);
  if (!plain) return std::nullopt;
  return std::string(*plain);
}

}  // namespace

std::string PlainBodyOf(const Message& message) {
  std::optional<std::string> plain;
  if (message.body_kind == BodyKind::kDataSections) plain = DataIn(message.body);
  if (message.body_kind == BodyKind::kValue) plain = ValueIn(message.body);
  return plain ? *std::move(plain) : message.body;
}

}  // namespace wharf::rest
