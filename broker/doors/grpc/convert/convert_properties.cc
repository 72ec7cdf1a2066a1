#include "broker/doors/grpc/convert/convert_properties.h"

#include <limits>
#include <utility>

#include <fmt/core.h>

#include "broker/core/messages/decimal_text.h"
#include "broker/core/messages/encoded_value.h"
#include "broker/doors/amqp/mapping/form_check.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert_time.h"

namespace wharf {
namespace {

template <typename Integer, typename Wide>
Result<PropertyValue> Narrow(const std::string& name, Wide value) {
  if (value < std::numeric_limits<Integer>::min() || value > std::numeric_limits<Integer>::max()) {
    return OutOfRange(fmt::format("the property '{:.64}'", name), "does not fit its type");
  }
  return PropertyValue(static_cast<Integer>(value));
}

// Half of a pair of UTF-16 is none: no text has it, nor does AMQP's char.
bool IsCharacter(std::uint32_t code_point) {
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  return code_point <= 0x10FFFF && !is_surrogate;
}

Result<PropertyValue> ValueFromProto(const std::string& name, const v1::PropertyValue& proto) {
  const auto bad = [&](std::string_view why) {
    return BadValue(fmt::format("the property '{:.64}'", name), why);
  };
  switch (proto.kind_case()) {
    case v1::PropertyValue::KIND_NOT_SET:
      return PropertyValue();
    case v1::PropertyValue::kBoolValue:
      return PropertyValue(proto.bool_value());
    case v1::PropertyValue::kInt8Value:
      return Narrow<std::int8_t>(name, proto.int8_value());
    case v1::PropertyValue::kInt16Value:
      return Narrow<std::int16_t>(name, proto.int16_value());
    case v1::PropertyValue::kInt32Value:
      return PropertyValue(std::int32_t{proto.int32_value()});
    case v1::PropertyValue::kInt64Value:
      return PropertyValue(std::int64_t{proto.int64_value()});
    case v1::PropertyValue::kUint8Value:
      return Narrow<std::uint8_t>(name, proto.uint8_value());
    case v1::PropertyValue::kUint16Value:
      return Narrow<std::uint16_t>(name, proto.uint16_value());
    case v1::PropertyValue::kUint32Value:
      return PropertyValue(std::uint32_t{proto.uint32_value()});
    case v1::PropertyValue::kUint64Value:
      return PropertyValue(std::uint64_t{proto.uint64_value()});
    case v1::PropertyValue::kFloatValue:
      return PropertyValue(proto.float_value());
    case v1::PropertyValue::kDoubleValue:
      return PropertyValue(proto.double_value());
    case v1::PropertyValue::kDecimalValue:
      if (!IsDecimal(proto.decimal_value())) {
        return bad("is no decimal: digits with at most one point, as \"-12.50\", and no exponent");
      }
      return PropertyValue(Decimal{proto.decimal_value()});
    case v1::PropertyValue::kCharValue:
      if (!IsCharacter(proto.char_value())) return bad("is not a Unicode code point");
      return PropertyValue(static_cast<char32_t>(proto.char_value()));
    case v1::PropertyValue::kStringValue:
      return PropertyValue(proto.string_value());
    case v1::PropertyValue::kUuidValue: {
      Uuid uuid;
      if (proto.uuid_value().size() != uuid.bytes.size()) return bad("is not a UUID of 16 bytes");
      proto.uuid_value().copy(uuid.bytes.data(), uuid.bytes.size());
      return PropertyValue(uuid);
    }
    case v1::PropertyValue::kTimestampValue:
      if (!IsValid(proto.timestamp_value())) return bad("is not a valid timestamp");
      return PropertyValue(
          Instant{{proto.timestamp_value().seconds(), proto.timestamp_value().nanos()}});
    case v1::PropertyValue::kTimespanValue:
      if (!IsValid(proto.timespan_value())) return bad("is not a valid time span");
      return PropertyValue(
          TimeSpan{{proto.timespan_value().seconds(), proto.timespan_value().nanos()}});
    case v1::PropertyValue::kUriValue:
      return PropertyValue(Uri{proto.uri_value()});
    case v1::PropertyValue::kDatetimeOffsetValue:
      if (!IsValid(proto.datetime_offset_value())) return bad("is not a valid date and time");
      return PropertyValue(DateTimeOffset{
          {proto.datetime_offset_value().seconds(), proto.datetime_offset_value().nanos()}});
    case v1::PropertyValue::kEncodedValue:
      if (!amqp::IsOneValue(proto.encoded_value())) return bad("is not one encoded value of AMQP");
      return PropertyValue(EncodedValue{proto.encoded_value()});
  }
  return bad("has an unknown type");
}

struct ValueToProto {
  v1::PropertyValue& proto;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { proto.set_bool_value(value); }
  void operator()(std::int8_t value) const { proto.set_int8_value(value); }
  void operator()(std::int16_t value) const { proto.set_int16_value(value); }
  void operator()(std::int32_t value) const { proto.set_int32_value(value); }
  void operator()(std::int64_t value) const { proto.set_int64_value(value); }
  void operator()(std::uint8_t value) const { proto.set_uint8_value(value); }
  void operator()(std::uint16_t value) const { proto.set_uint16_value(value); }
  void operator()(std::uint32_t value) const { proto.set_uint32_value(value); }
  void operator()(std::uint64_t value) const { proto.set_uint64_value(value); }
  void operator()(float value) const { proto.set_float_value(value); }
  void operator()(double value) const { proto.set_double_value(value); }
  void operator()(const Decimal& value) const { proto.set_decimal_value(value.text); }
  void operator()(char32_t value) const { proto.set_char_value(value); }
  void operator()(const std::string& value) const { proto.set_string_value(value); }
  void operator()(const Uuid& value) const {
    proto.set_uuid_value(value.bytes.data(), value.bytes.size());
  }
  void operator()(const Instant& value) const {
    SetNanotime(value.since_epoch, proto.mutable_timestamp_value());
  }
  void operator()(const TimeSpan& value) const {
    SetNanotime(value.length, proto.mutable_timespan_value());
  }
  void operator()(const Uri& value) const { proto.set_uri_value(value.text); }
  void operator()(const DateTimeOffset& value) const {
    SetNanotime(value.since_epoch, proto.mutable_datetime_offset_value());
  }
  // What can be said otherwise is: how long it was encoded is nobody's concern here.
  void operator()(const EncodedValue& value) const {
    const auto plain = PlainOf(value.bytes);
    plain ? std::visit(*this, *plain) : proto.set_encoded_value(value.bytes);
  }
};

}  // namespace

Result<PropertyMap> PropertiesFromProto(const ProtoProperties& proto) {
  PropertyMap properties;
  properties.reserve(proto.size());
  for (const auto& [name, value] : proto) {
    Result<PropertyValue> converted = ValueFromProto(name, value);
    if (!converted.ok()) return converted.status();
    properties.emplace_back(name, *std::move(converted));
  }
  return properties;
}

void PropertyToProto(const PropertyValue& value, v1::PropertyValue* proto) {
  proto->Clear();
  std::visit(ValueToProto{*proto}, value);
}

void PropertiesToProto(const PropertyMap& properties, ProtoProperties& proto) {
  for (const auto& [name, value] : properties) {
    PropertyToProto(value, &proto[name]);
  }
}

}  // namespace wharf
