#include "tools/wharf/messages/message_printer.h"

#include <algorithm>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/lock_token_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/time_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

// Longer texts are cut: a headline is for orientation, --json for the whole.
constexpr std::size_t kNameWidthMax = 40;
constexpr std::size_t kValueWidthMax = 80;

std::string ToText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : ToLine(value);
}

std::string Pair(const std::string& name, const Json& value) {
  // A typed value, {"type": "int32", "value": 5}: its type is for programs.
  const Json& plain = value.is_object() && value.contains("value") ? value.at("value") : value;
  return fmt::format("  {}={}", Printable(name, kNameWidthMax),
                     Printable(ToText(plain), kValueWidthMax));
}

// Whether the message's property of this name holds properties.
bool IsMap(const std::string& name) {
  const auto* field = v1::Message::descriptor()->FindFieldByName(name);
  return field != nullptr && field->is_map();
}

// Text, as opposed to a picture.
bool IsForPeople(const std::string& body) {
  return IsUtf8(body) && body.find('\0') == std::string::npos;
}

}  // namespace

std::string Headline(const v1::ReceivedMessage& message) {
  std::string line =
      fmt::format("{}  enqueued {}", message.sequence_number(), TimeText(message.enqueued_time()));
  if (message.delivery_count() > 1) line += fmt::format("  try {}", message.delivery_count());
  const Json properties = PropertiesToJson(message.message());
  for (const auto& [name, value] : properties.items()) {
    if (!IsMap(name)) {
      line += Pair(name, value);
      continue;
    }
    for (const auto& [inner_name, inner] : value.items()) line += Pair(inner_name, inner);
  }
  return line;
}

std::string MessagePrinter::TextForPeople(const v1::ReceivedMessage& message) const {
  const std::string& body = message.message().body();
  std::string text = Headline(message);
  if (style_.shows_tokens && !message.lock_token().empty()) {
    text += fmt::format("  lock_token={}", FormatLockToken(message.lock_token()));
  }
  return text + "\n" +
         (IsForPeople(body) ? PrintableLines(body)
                            : fmt::format("({} bytes that are no text: write them to a file with "
                                          "--raw > FILE)",
                                          body.size())) +
         "\n";
}

void MessagePrinter::Print(const v1::ReceivedMessage& message, PacedOutput& out) const {
  if (style_.is_json) {
    out.Put(WithJsonEscapes(ToLine(ToJson(message))) + "\n");
  } else if (style_.is_terminal && !style_.is_raw) {
    out.Put(TextForPeople(message));
  } else {
    if (style_.shows_tokens && !message.lock_token().empty()) {
      out.Put(FormatLockToken(message.lock_token()) + "  ");
    }
    out.Put(message.message().body());
    if (!style_.is_raw) out.Put("\n");
  }
  out.End();
}

}  // namespace wharf::tool
