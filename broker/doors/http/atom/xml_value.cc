#include "broker/doors/http/atom/xml_value.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "broker/core/messages/decimal_text.h"
#include "broker/core/messages/encoded_value.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/http/atom/xml_names.h"
#include "broker/doors/http/atom/xml_time.h"

namespace wharf::atom {
namespace {

constexpr std::string_view kPair = "KeyValueOfstringanyType";

// --- reading

using Value = std::optional<PropertyValue>;

template <typename Number>
Value NumberFrom(std::string_view text) {
  Number number{};
  text = Trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <typename Number>
Value RealFrom(std::string_view text) {
  text = Trimmed(text);
  if (text == "INF") return std::numeric_limits<Number>::infinity();
  if (text == "-INF") return -std::numeric_limits<Number>::infinity();
  if (text == "NaN") return std::numeric_limits<Number>::quiet_NaN();
  double number = 0;
  if (!absl::SimpleAtod(absl::string_view(text.data(), text.size()), &number)) return std::nullopt;
  return static_cast<Number>(number);
}

Value FlagFrom(std::string_view text) {
  text = Trimmed(text);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

Value TextFrom(std::string_view text) { return std::string(text); }

Value InstantFrom(std::string_view text) {
  const std::optional<Nanotime> time = InstantFromXml(text);
  return time ? Value(Instant{*time}) : std::nullopt;
}

Value DateTimeOffsetFrom(std::string_view text) {
  const std::optional<Nanotime> time = InstantFromXml(text);
  return time ? Value(DateTimeOffset{*time}) : std::nullopt;
}

Value SpanFrom(std::string_view text) {
  const std::optional<Nanotime> span = SpanFromXml(text);
  return span ? Value(TimeSpan{*span}) : std::nullopt;
}

Value UuidFrom(std::string_view text) {
  text = Trimmed(text);
  if (text.size() != 36) return std::nullopt;
  for (const char each : text) {
    if (each != '-' && !absl::ascii_isxdigit(static_cast<unsigned char>(each))) return std::nullopt;
  }
  for (const std::size_t dash : {8, 13, 18, 23}) {
    if (text[dash] != '-') return std::nullopt;
  }
  std::string digits(text);
  std::erase(digits, '-');
  const std::string bytes = absl::HexStringToBytes(digits);
  Uuid uuid;
  if (bytes.size() != uuid.bytes.size()) return std::nullopt;
  bytes.copy(uuid.bytes.data(), uuid.bytes.size());
  return uuid;
}

Value CharacterFrom(std::string_view text) {
  const Value number = NumberFrom<std::uint32_t>(text);
  if (!number) return std::nullopt;
  const auto character = static_cast<char32_t>(std::get<std::uint32_t>(*number));
  const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character > 0x10FFFF || is_surrogate) return std::nullopt;
  return character;
}

Value DecimalFrom(std::string_view text) {
  if (!IsDecimal(text)) return std::nullopt;
  return Decimal{std::string(text)};
}

// In the order of the alternatives of PropertyValue, but for null and for what only AMQP can say.
struct Type {
  std::string_view space;
  std::string_view name;
  Value (*from)(std::string_view text);
};
constexpr Type kTypes[] = {
    {kSchemaSpace, "boolean", FlagFrom},
    {kSchemaSpace, "byte", NumberFrom<std::int8_t>},
    {kSchemaSpace, "short", NumberFrom<std::int16_t>},
    {kSchemaSpace, "int", NumberFrom<std::int32_t>},
    {kSchemaSpace, "long", NumberFrom<std::int64_t>},
    {kSchemaSpace, "unsignedByte", NumberFrom<std::uint8_t>},
    {kSchemaSpace, "unsignedShort", NumberFrom<std::uint16_t>},
    {kSchemaSpace, "unsignedInt", NumberFrom<std::uint32_t>},
    {kSchemaSpace, "unsignedLong", NumberFrom<std::uint64_t>},
    {kSchemaSpace, "float", RealFrom<float>},
    {kSchemaSpace, "double", RealFrom<double>},
    {kSchemaSpace, "decimal", DecimalFrom},
    {kSerializationSpace, "char", CharacterFrom},
    {kSchemaSpace, "string", TextFrom},
    {kSerializationSpace, "guid", UuidFrom},
    {kSchemaSpace, "dateTime", InstantFrom},
    {kSchemaSpace, "duration", SpanFrom},
    {kSchemaSpace, "anyURI", [](std::string_view text) { return Value(Uri{std::string(text)}); }},
    {kSerializationSpace, "dateTimeOffset", DateTimeOffsetFrom},
};
// Of those that are not known elsewhere.
constexpr std::size_t kFirstTyped = 1;
static_assert(std::size(kTypes) + kFirstTyped + 1 == std::variant_size_v<PropertyValue>);

Result<PropertyValue> ValueFromXml(const std::string& key, const XmlElement* element) {
  const auto bad = [&](std::string_view why) {
    return BadValue(fmt::format("the property '{:.64}'", key), why);
  };
  if (element == nullptr) return bad("has no Value");
  if (element->type.name.empty()) return bad("has a value without a type");
  for (const Type& type : kTypes) {
    if (element->type.name != type.name || element->type.space != type.space) continue;
    std::optional<PropertyValue> value = type.from(element->text);
    if (!value) return bad(fmt::format("has a value that is no {}", type.name));
    return *std::move(value);
  }
  return bad(
      fmt::format("has a value of the type '{:.64}', which is not known", element->type.name));
}

// --- writing

template <typename Real>
std::string RealText(Real value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  return fmt::format("{}", value);
}

struct TextOf {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(float value) const { return RealText(value); }
  std::string operator()(double value) const { return RealText(value); }
  std::string operator()(const Decimal& value) const { return value.text; }
  std::string operator()(char32_t value) const {
    return std::to_string(static_cast<std::uint32_t>(value));
  }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Uuid& value) const {
    boost::uuids::uuid uuid;
    std::copy(value.bytes.begin(), value.bytes.end(), uuid.begin());
    return boost::uuids::to_string(uuid);
  }
  std::string operator()(const Instant& value) const { return InstantToXml(value.since_epoch); }
  std::string operator()(const TimeSpan& value) const { return SpanToXml(value.length); }
  std::string operator()(const Uri& value) const { return value.text; }
  std::string operator()(const DateTimeOffset& value) const {
    return InstantToXml(value.since_epoch);
  }
  std::string operator()(const EncodedValue& value) const {
    return absl::Base64Escape(value.bytes);
  }
  template <typename Integer>
  std::string operator()(Integer value) const {
    return std::to_string(value);
  }
};

// Numbers in the widths that clients know: filters compare them whatever their width (COR-6).
struct Widened {
  PropertyValue operator()(std::int8_t value) const { return std::int32_t{value}; }
  PropertyValue operator()(std::int16_t value) const { return std::int32_t{value}; }
  PropertyValue operator()(std::uint8_t value) const { return std::int32_t{value}; }
  PropertyValue operator()(std::uint16_t value) const { return std::int32_t{value}; }
  PropertyValue operator()(std::uint32_t value) const { return std::int64_t{value}; }
  PropertyValue operator()(std::uint64_t value) const {
    if (value > std::numeric_limits<std::int64_t>::max()) return value;
    return static_cast<std::int64_t>(value);
  }
  PropertyValue operator()(float value) const { return double{value}; }
  template <typename Other>
  PropertyValue operator()(const Other& value) const {
    return value;
  }
};

// What only AMQP can say has a type that is not read here: nobody changes it by giving it back.
void ValueToXml(const PropertyValue& exact, XmlWriter& writer) {
  const PropertyValue value = std::visit(Widened(), exact);
  if (const auto* encoded = std::get_if<EncodedValue>(&value)) {
    if (const auto plain = PlainOf(encoded->bytes)) return ValueToXml(*plain, writer);
  }
  std::string_view space = kSchemaSpace;
  std::string name = "d6p1:base64Binary";
  if (value.index() < kFirstTyped) {
    return writer.Leaf("Value", "", {{"i:nil", "true"}});
  }
  if (value.index() - kFirstTyped < std::size(kTypes)) {
    const Type& type = kTypes[value.index() - kFirstTyped];
    space = type.space;
    name = "d6p1:" + std::string(type.name);
  }
  writer.Leaf("Value", std::visit(TextOf(), value), {{"xmlns:d6p1", space}, {"i:type", name}});
}

}  // namespace

Result<PropertyMap> PropertiesFromXml(const XmlElement& list) {
  PropertyMap properties;
  for (const XmlElement& pair : list.children) {
    if (pair.name.name != kPair) continue;
    const XmlElement* const key = pair.Find("Key");
    if (key == nullptr) return BadValue(list.name.name, "has a property without a Key");
    Result<PropertyValue> value = ValueFromXml(key->text, pair.Find("Value"));
    if (!value.ok()) return value.status();
    properties.emplace_back(key->text, *std::move(value));
  }
  return properties;
}

void PropertiesToXml(std::string_view name, const PropertyMap& properties, XmlWriter& writer) {
  if (properties.empty()) return;
  writer.Open(name);
  for (const auto& [key, value] : properties) {
    writer.Open(kPair);
    writer.Leaf("Key", key);
    ValueToXml(value, writer);
    writer.Close();
  }
  writer.Close();
}

}  // namespace wharf::atom
