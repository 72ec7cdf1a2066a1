#include "broker/doors/http/rest/property_text.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/format.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/doors/http/rest/http_time.h"
#include "broker/doors/http/rest/json_text.h"
#include "broker/doors/http/servicebus/utf8.h"

namespace wharf::rest {
namespace {

using nlohmann::json;

PropertyValue QuotedFrom(std::string_view header) {
  const std::string utf8 = AsUtf8(header);
  const json parsed = json::parse(utf8, nullptr, false);
  // One that is no JSON is what stands between its quotes.
  std::string text =
      parsed.is_string() ? parsed.get<std::string>() : utf8.substr(1, utf8.size() - 2);
  const auto time = HttpTimeFrom(text);
  if (time) return Instant{{.seconds = *time}};
  return text;
}

bool MayBeBareJson(std::string_view header) {
  if (header == "true" || header == "false" || header == "null") return true;
  const char first = header.empty() ? ' ' : header.front();
  return first == '-' || absl::ascii_isdigit(static_cast<unsigned char>(first));
}

PropertyValue BareFrom(std::string_view header) {
  const json parsed = MayBeBareJson(header) ? json::parse(header, nullptr, false) : json("");
  if (parsed.is_null()) return std::monostate();
  if (parsed.is_boolean()) return parsed.get<bool>();
  if (parsed.is_number_unsigned()) {
    const auto number = parsed.get<std::uint64_t>();
    if (number > INT64_MAX) return number;
    return static_cast<std::int64_t>(number);
  }
  if (parsed.is_number_integer()) return parsed.get<std::int64_t>();
  if (parsed.is_number_float()) return parsed.get<double>();
  return AsUtf8(header);
}

// Digits, with something that shows that it is no whole number. What is no number is a text.
template <typename Number>
std::string FloatText(Number number) {
  if (!std::isfinite(number)) return QuotedAscii(fmt::format("{}", number));
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string Utf8Of(char32_t character) {
  std::string text;
  AppendUtf8(character, text);
  return text;
}

std::string UuidText(const Uuid& uuid) {
  boost::uuids::uuid plain{};
  std::copy(uuid.bytes.begin(), uuid.bytes.end(), plain.begin());
  return boost::uuids::to_string(plain);
}

struct ToHeader {
  using Text = std::optional<std::string>;
  Text operator()(std::monostate) const { return "null"; }
  Text operator()(bool value) const { return value ? "true" : "false"; }
  template <typename Number>
  Text operator()(Number value) const {
    if constexpr (std::is_floating_point_v<Number>) {
      return FloatText(value);
    } else {
      return std::to_string(value);
    }
  }
  Text operator()(const Decimal& value) const { return QuotedAscii(value.text); }
  Text operator()(char32_t value) const { return QuotedAscii(Utf8Of(value)); }
  Text operator()(const std::string& value) const { return QuotedAscii(value); }
  Text operator()(const Uuid& value) const { return QuotedAscii(UuidText(value)); }
  Text operator()(const Instant& value) const {
    return QuotedAscii(HttpTime(value.since_epoch.seconds));
  }
  Text operator()(const TimeSpan& value) const { return QuotedAscii(TimeSpanText(value)); }
  Text operator()(const Uri& value) const { return QuotedAscii(value.text); }
  Text operator()(const DateTimeOffset& value) const {
    return QuotedAscii(HttpTime(value.since_epoch.seconds));
  }
  Text operator()(const EncodedValue& value) const {
    const auto plain = PlainOf(value.bytes);
    if (plain && !std::holds_alternative<EncodedValue>(*plain)) return HeaderOf(*plain);
    const auto text = TextOf(value.bytes);
    if (!text) return std::nullopt;
    return QuotedAscii(*text);
  }
};

}  // namespace

PropertyValue PropertyFrom(std::string_view header) {
  const bool is_quoted = header.size() >= 2 && header.starts_with('"') && header.ends_with('"');
  return is_quoted ? QuotedFrom(header) : BareFrom(header);
}

std::optional<std::string> HeaderOf(const PropertyValue& value) {
  return std::visit(ToHeader(), value);
}

std::string AsUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  std::string utf8;
  for (const char c : text) AppendUtf8(static_cast<unsigned char>(c), utf8);
  return utf8;
}

}  // namespace wharf::rest
