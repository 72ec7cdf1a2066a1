#include "tools/wharf/text/property_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "broker/core/messages/decimal_text.h"
#include "storage/base/duration_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/time_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

using google::protobuf::util::TimeUtil;
using v1::PropertyValue;

Status NotOfType(const std::string& text, std::string_view type) {
  return {ErrorCode::kArgumentError,
          fmt::format("\"{}\" is not a value of type {}", Printable(text), type)};
}

// Reads a number of the C++ type `Number`; out of range is no value of the type.
template <typename Number>
bool ReadNumber(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end && !text.empty();
}

// A reader for the setter of a number's field.
template <typename Number, auto kSetter>
bool ReadAs(const std::string& text, PropertyValue& value) {
  Number number{};
  if (!ReadNumber(text, number)) return false;
  (value.*kSetter)(number);
  return true;
}

bool ReadBool(const std::string& text, PropertyValue& value) {
  value.set_bool_value(text == "true");
  return text == "true" || text == "false";
}

bool ReadDecimal(const std::string& text, PropertyValue& value) {
  value.set_decimal_value(text);
  return IsDecimal(text);
}

bool ReadChar(const std::string& text, PropertyValue& value) {
  const std::optional<std::uint32_t> point = ToCodePoint(text);
  value.set_char_value(point.value_or(0));
  return point.has_value();
}

bool ReadString(const std::string& text, PropertyValue& value) {
  value.set_string_value(text);
  return IsUtf8(text);
}

bool ReadUri(const std::string& text, PropertyValue& value) {
  value.set_uri_value(text);
  return IsUtf8(text);
}

bool ReadEncoded(const std::string& text, PropertyValue& value) {
  return absl::Base64Unescape(text, value.mutable_encoded_value());
}

bool ReadUuid(const std::string& text, PropertyValue& value) {
  try {
    const boost::uuids::uuid uuid = boost::uuids::string_generator()(text);
    value.set_uuid_value(uuid.data, uuid.size());
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

bool ReadTimestamp(const std::string& text, PropertyValue& value) {
  return TimeUtil::FromString(text, value.mutable_timestamp_value());
}

bool ReadDateTimeOffset(const std::string& text, PropertyValue& value) {
  return TimeUtil::FromString(text, value.mutable_datetime_offset_value());
}

bool ReadSeconds(double seconds, google::protobuf::Duration& timespan) {
  const auto read = SecondsFromJson(seconds);
  if (read.ok()) timespan = *read;
  return read.ok();
}

// "1h30m", with a sign or without.
bool ReadUnits(std::string_view text, google::protobuf::Duration& timespan) {
  const bool is_negative = text.starts_with('-');
  const Result<Duration> read = ParseDuration(text.substr(is_negative ? 1 : 0));
  if (!read.ok() || *read > std::chrono::seconds(TimeUtil::kDurationMaxSeconds)) return false;
  timespan = TimeUtil::MicrosecondsToDuration(is_negative ? -read->count() : read->count());
  return true;
}

bool ReadTimespan(const std::string& text, PropertyValue& value) {
  // What reads durations of the API takes two signs for none.
  if (text.starts_with("--")) return false;
  google::protobuf::Duration& timespan = *value.mutable_timespan_value();
  if (TimeUtil::FromString(text, &timespan)) return true;
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds)) return ReadSeconds(seconds, timespan);
  return ReadUnits(text, timespan);
}

struct Type {
  std::string_view name;
  PropertyValue::KindCase kind;
  bool (*read)(const std::string& text, PropertyValue& value);
};

constexpr Type kTypes[] = {
    {"bool", PropertyValue::kBoolValue, ReadBool},
    {"int8", PropertyValue::kInt8Value, ReadAs<std::int8_t, &PropertyValue::set_int8_value>},
    {"int16", PropertyValue::kInt16Value, ReadAs<std::int16_t, &PropertyValue::set_int16_value>},
    {"int32", PropertyValue::kInt32Value, ReadAs<std::int32_t, &PropertyValue::set_int32_value>},
    {"int64", PropertyValue::kInt64Value, ReadAs<std::int64_t, &PropertyValue::set_int64_value>},
    {"uint8", PropertyValue::kUint8Value, ReadAs<std::uint8_t, &PropertyValue::set_uint8_value>},
    {"uint16", PropertyValue::kUint16Value,
     ReadAs<std::uint16_t, &PropertyValue::set_uint16_value>},
    {"uint32", PropertyValue::kUint32Value,
     ReadAs<std::uint32_t, &PropertyValue::set_uint32_value>},
    {"uint64", PropertyValue::kUint64Value,
     ReadAs<std::uint64_t, &PropertyValue::set_uint64_value>},
    {"float", PropertyValue::kFloatValue, ReadAs<float, &PropertyValue::set_float_value>},
    {"double", PropertyValue::kDoubleValue, ReadAs<double, &PropertyValue::set_double_value>},
    {"decimal", PropertyValue::kDecimalValue, ReadDecimal},
    {"char", PropertyValue::kCharValue, ReadChar},
    {"string", PropertyValue::kStringValue, ReadString},
    {"uuid", PropertyValue::kUuidValue, ReadUuid},
    {"timestamp", PropertyValue::kTimestampValue, ReadTimestamp},
    {"timespan", PropertyValue::kTimespanValue, ReadTimespan},
    {"uri", PropertyValue::kUriValue, ReadUri},
    {"encoded", PropertyValue::kEncodedValue, ReadEncoded},
    {"datetime-offset", PropertyValue::kDatetimeOffsetValue, ReadDateTimeOffset},
};

std::string_view NameOf(PropertyValue::KindCase kind) {
  for (const Type& type : kTypes) {
    if (type.kind == kind) return type.name;
  }
  return "null";
}

std::string UuidToText(const std::string& bytes) {
  boost::uuids::uuid uuid{};
  if (bytes.size() == uuid.size()) std::copy(bytes.begin(), bytes.end(), uuid.begin());
  return boost::uuids::to_string(uuid);
}

Json Typed(PropertyValue::KindCase kind, Json value) {
  return {{"type", NameOf(kind)}, {"value", std::move(value)}};
}

// JSON has no word for these three.
Json FloatToJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

// The value inside {"type": ..., "value": ...}.
Json ValueToJson(const PropertyValue& value) {
  switch (value.kind_case()) {
    case PropertyValue::kInt8Value:
      return value.int8_value();
    case PropertyValue::kInt16Value:
      return value.int16_value();
    case PropertyValue::kInt32Value:
      return value.int32_value();
    case PropertyValue::kUint8Value:
      return value.uint8_value();
    case PropertyValue::kUint16Value:
      return value.uint16_value();
    case PropertyValue::kUint32Value:
      return value.uint32_value();
    case PropertyValue::kUint64Value:
      return value.uint64_value();
    case PropertyValue::kFloatValue:
      return FloatToJson(value.float_value());
    case PropertyValue::kDoubleValue:
      return FloatToJson(value.double_value());
    case PropertyValue::kDecimalValue:
      return value.decimal_value();
    case PropertyValue::kCharValue:
      return FromCodePoint(value.char_value());
    case PropertyValue::kUuidValue:
      return UuidToText(value.uuid_value());
    case PropertyValue::kTimestampValue:
      return TimeUtil::ToString(value.timestamp_value());
    case PropertyValue::kTimespanValue:
      return SecondsToJson(value.timespan_value());
    case PropertyValue::kUriValue:
      return value.uri_value();
    case PropertyValue::kEncodedValue:
      return absl::Base64Escape(value.encoded_value());
    case PropertyValue::kDatetimeOffsetValue:
      return TimeUtil::ToString(value.datetime_offset_value());
    default:
      return nullptr;
  }
}

Result<PropertyValue> TypedFromJson(const Json& json) {
  const auto type = json.find("type");
  const auto value = json.find("value");
  const bool is_complete = json.size() == 2 && type != json.end() && value != json.end();
  if (!is_complete || !type->is_string() || value->is_structured() || value->is_null()) {
    return Status(ErrorCode::kArgumentError,
                  R"(a typed value is written {"type": "int32", "value": 5})");
  }
  const std::string text = value->is_string() ? value->get<std::string>() : ToLine(*value);
  return ParseProperty(type->get<std::string>(), text);
}

}  // namespace

Result<PropertyValue> ParseProperty(std::string_view type_name, const std::string& text) {
  for (const Type& type : kTypes) {
    if (type.name != type_name) continue;
    PropertyValue value;
    if (type.read(text, value)) return value;
    return NotOfType(text, type_name);
  }
  return Status(ErrorCode::kArgumentError,
                fmt::format("there is no type \"{}\"; use bool, int8, int16, int32, int64, uint8, "
                            "uint16, uint32, uint64, float, double, decimal, char, string, uuid, "
                            "timestamp, timespan, uri, datetime-offset or encoded",
                            type_name));
}

Json PropertyToJson(const PropertyValue& value) {
  switch (value.kind_case()) {
    case PropertyValue::KIND_NOT_SET:
      return nullptr;
    case PropertyValue::kBoolValue:
      return value.bool_value();
    case PropertyValue::kInt64Value:
      return value.int64_value();
    case PropertyValue::kStringValue:
      return value.string_value();
    case PropertyValue::kDoubleValue:
      if (std::isfinite(value.double_value())) return value.double_value();
      break;
    // A broker of before took any text, and told receivers over AMQP a string.
    case PropertyValue::kDecimalValue:
      if (!IsDecimal(value.decimal_value())) return value.decimal_value();
      break;
    // And half of a pair of UTF-16, which no type of today holds: its number.
    case PropertyValue::kCharValue:
      if (FromCodePoint(value.char_value()).empty()) {
        return Typed(PropertyValue::kUint32Value, value.char_value());
      }
      break;
    default:
      break;
  }
  return Typed(value.kind_case(), ValueToJson(value));
}

Result<PropertyValue> PropertyFromJson(const Json& json) {
  PropertyValue value;
  switch (json.type()) {
    case Json::value_t::null:
      return value;
    case Json::value_t::boolean:
      value.set_bool_value(json.get<bool>());
      return value;
    case Json::value_t::string:
      return ParseProperty("string", json.get<std::string>());
    case Json::value_t::number_float:
      value.set_double_value(json.get<double>());
      return value;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return ParseProperty("int64", ToLine(json));
    case Json::value_t::object:
      return TypedFromJson(json);
    default:
      return Status(ErrorCode::kArgumentError, "a list cannot be the value of a property");
  }
}

Result<NamedProperty> ParseNamedProperty(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Status(
        ErrorCode::kArgumentError,
        fmt::format("\"{}\" is not a property: write name=value or name:type=value", text));
  }
  const std::string left = text.substr(0, equals);
  if (!IsUtf8(left)) return Status(ErrorCode::kArgumentError, "the property's name is not UTF-8");
  const std::size_t colon = left.rfind(':');
  const std::string type = colon == std::string::npos ? "string" : left.substr(colon + 1);
  Result<PropertyValue> value = ParseProperty(type, text.substr(equals + 1));
  if (!value.ok()) return value.status();
  return NamedProperty{.name = left.substr(0, colon), .value = *std::move(value)};
}

}  // namespace wharf::tool
