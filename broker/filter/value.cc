#include "broker/filter/value.h"

#include <string>
#include <type_traits>

#include "broker/core/messages/encoded_value.h"

namespace wharf::sql {
namespace {

struct ToValue {
  Value operator()(std::monostate) const { return Unknown(); }
  Value operator()(bool value) const { return value; }
  Value operator()(std::int8_t value) const { return std::int32_t{value}; }
  Value operator()(std::int16_t value) const { return std::int32_t{value}; }
  Value operator()(std::uint8_t value) const { return std::int32_t{value}; }
  Value operator()(std::uint16_t value) const { return std::int32_t{value}; }
  Value operator()(char32_t value) const { return static_cast<std::int32_t>(value); }
  Value operator()(const std::string& text) const { return std::string_view(text); }
  Value operator()(const Uri& uri) const { return UriText{uri.text}; }
  Value operator()(const DateTimeOffset& date) const { return Instant{date.since_epoch}; }
  // A symbol is a text for rules, and a number in a long encoding a number.
  Value operator()(const EncodedValue& value) const {
    if (const auto text = TextOf(value.bytes)) return *text;
    const auto plain = PlainOf(value.bytes);
    const bool is_seen = plain && !std::holds_alternative<Uri>(*plain);
    return is_seen ? std::visit(*this, *plain) : Unknown();
  }
  Value operator()(const Decimal& decimal) const {
    const auto number = DecimalNumber::Parse(decimal.text);
    if (!number) return Unknown();
    return *number;
  }
  template <typename Same>
  Value operator()(const Same& value) const {
    return value;
  }
};

struct ToProperty {
  PropertyValue operator()(Unknown) const { return std::monostate(); }
  PropertyValue operator()(const DecimalNumber& number) const { return Decimal{number.ToString()}; }
  PropertyValue operator()(std::string_view text) const { return std::string(text); }
  PropertyValue operator()(UriText uri) const { return Uri{std::string(uri.text)}; }
  template <typename Same>
  PropertyValue operator()(const Same& value) const {
    return value;
  }
};

}  // namespace

Value ValueOf(const PropertyValue& property) { return std::visit(ToValue(), property); }

PropertyValue PropertyOf(const Value& value) { return std::visit(ToProperty(), value); }

Instant InstantOf(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  const std::chrono::nanoseconds rest = time.time_since_epoch() - seconds;
  return {{seconds.count(), static_cast<std::int32_t>(rest.count())}};
}

TimeSpan TimeSpanOf(Duration span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
  const std::chrono::nanoseconds rest = span - seconds;
  return {{seconds.count(), static_cast<std::int32_t>(rest.count())}};
}

}  // namespace wharf::sql
