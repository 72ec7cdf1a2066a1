#include "broker/filter/correlation_key.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "broker/core/messages/encoded_value.h"
#include "broker/filter/decimal_number.h"
#include "broker/filter/nanoseconds.h"

namespace wharf {
namespace {

// COR-1
constexpr CorrelationProperty kCorrelationProperties[] = {
    {SystemProperty::kCorrelationId, &CorrelationFilter::correlation_id},
    {SystemProperty::kMessageId, &CorrelationFilter::message_id},
    {SystemProperty::kTo, &CorrelationFilter::to},
    {SystemProperty::kReplyTo, &CorrelationFilter::reply_to},
    {SystemProperty::kLabel, &CorrelationFilter::subject},
    {SystemProperty::kSessionId, &CorrelationFilter::session_id},
    {SystemProperty::kReplyToSessionId, &CorrelationFilter::reply_to_session_id},
    {SystemProperty::kContentType, &CorrelationFilter::content_type},
};

void AppendText(std::string_view text, std::string& key) {
  const auto size = static_cast<std::uint32_t>(text.size());
  char bytes[sizeof(size)];
  std::memcpy(bytes, &size, sizeof(size));
  key.append(bytes, sizeof(bytes)).append(text);
}

template <typename Fixed>
void AppendFixed(char type, const Fixed& value, std::string& key) {
  static_assert(std::has_unique_object_representations_v<Fixed> || std::is_same_v<Fixed, double>);
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  key.append(1, type).append(bytes, sizeof(bytes));
}

// Writes a type and the value, so that no two values share their bytes.
struct ValueWriter {
  std::string& key;

  bool operator()(std::monostate) const { return false; }
  bool operator()(bool value) const { return Fixed('b', std::uint8_t{value}); }
  bool operator()(char32_t value) const { return Fixed('c', static_cast<std::uint32_t>(value)); }
  bool operator()(const std::string& text) const { return Text('s', text); }
  bool operator()(const Uri& uri) const { return Text('r', uri.text); }
  bool operator()(const Uuid& uuid) const { return Fixed('u', uuid.bytes); }
  bool operator()(const Instant& instant) const { return Time('i', instant.since_epoch); }
  bool operator()(const DateTimeOffset& date) const { return Time('i', date.since_epoch); }
  bool operator()(const TimeSpan& span) const { return Time('t', span.length); }

  bool operator()(float value) const { return (*this)(double{value}); }
  bool operator()(double value) const {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (std::isnan(value)) return false;
    if (std::trunc(value) == value && value >= -kTwoTo63 && value < 2 * kTwoTo63) {
      return value < 0 ? Whole(static_cast<std::int64_t>(value))
                       : Whole(static_cast<std::uint64_t>(value));
    }
    return Fixed('f', value);
  }

  // As SQL sees it; what it does not see is equal to nothing.
  bool operator()(const EncodedValue& value) const {
    if (const auto text = TextOf(value.bytes)) return Text('s', *text);
    const auto plain = PlainOf(value.bytes);
    return plain && !std::holds_alternative<Uri>(*plain) && std::visit(*this, *plain);
  }

  // Whole decimals look like whole numbers; those beyond 64 bits are equal to no other type.
  bool operator()(const Decimal& decimal) const {
    const auto number = sql::DecimalNumber::Parse(decimal.text);
    if (!number) return false;
    const std::string text = number->ToShortestString();
    return text.find('.') == std::string::npos ? Text('n', text) : Text('d', text);
  }

  template <typename Integer>
  bool operator()(Integer value) const {
    static_assert(std::is_integral_v<Integer>);
    return Whole(value);
  }

 private:
  template <typename Integer>
  bool Whole(Integer value) const {
    return Text('n', std::to_string(value));
  }
  template <typename Value>
  bool Fixed(char type, const Value& value) const {
    AppendFixed(type, value, key);
    return true;
  }
  bool Text(char type, std::string_view text) const {
    key.append(1, type);
    AppendText(text, key);
    return true;
  }
  bool Time(char type, const Nanotime& time) const { return Fixed(type, sql::NanosecondsOf(time)); }
};

bool AppendValue(const PropertyValue& value, std::string& key) {
  return std::visit(ValueWriter{key}, value);
}

const PropertyValue& ValueNamed(const PropertyMap& properties, const PropertyName& name) {
  return std::find_if(properties.begin(), properties.end(),
                      [&](const auto& property) { return name.Is(property.first); })
      ->second;
}

}  // namespace

std::span<const CorrelationProperty> CorrelationProperties() { return kCorrelationProperties; }

CorrelationFields FieldsOf(const CorrelationFilter& filter) {
  CorrelationFields fields;
  for (std::size_t i = 0; i < std::size(kCorrelationProperties); ++i) {
    if (IsSet(filter.*kCorrelationProperties[i].field)) {
      fields.system |= static_cast<std::uint8_t>(1U << i);
    }
  }
  fields.user.reserve(filter.application_properties.size());
  for (const auto& property : filter.application_properties) {
    fields.user.emplace_back(property.first);
  }
  std::sort(fields.user.begin(), fields.user.end());
  return fields;
}

bool WriteKey(const CorrelationFilter& filter, std::string& key) {
  key.clear();
  for (const CorrelationProperty& property : kCorrelationProperties) {
    const auto& field = filter.*property.field;
    if (IsSet(field)) AppendText(*field, key);
  }
  const CorrelationFields fields = FieldsOf(filter);
  return std::all_of(fields.user.begin(), fields.user.end(), [&](const PropertyName& name) {
    return AppendValue(ValueNamed(filter.application_properties, name), key);
  });
}

bool WriteKey(const CorrelationFields& fields, const MessageView& message, std::string& key) {
  key.clear();
  for (std::size_t i = 0; i < std::size(kCorrelationProperties); ++i) {
    if ((fields.system & (1U << i)) == 0) continue;
    const sql::Value value = message.Get(kCorrelationProperties[i].property);
    const auto* const text = std::get_if<std::string_view>(&value);
    if (text == nullptr) return false;
    AppendText(*text, key);
  }
  return std::all_of(fields.user.begin(), fields.user.end(), [&](const PropertyName& name) {
    const PropertyValue* const value = message.Find(name);
    return value != nullptr && AppendValue(*value, key);
  });
}

}  // namespace wharf
