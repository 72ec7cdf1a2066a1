#include "broker/filter/correlation_filter.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/filter/correlation_key.h"
#include "broker/filter/property_name.h"

namespace wharf {
namespace {

Status Invalid(std::string why) { return {ErrorCode::kFilterException, std::move(why)}; }

// Also as AMQP encodes it.
bool IsNull(const PropertyValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  const auto* const encoded = std::get_if<EncodedValue>(&value);
  if (encoded == nullptr) return false;
  const auto plain = PlainOf(encoded->bytes);
  return plain && std::holds_alternative<std::monostate>(*plain);
}

Status CheckNames(const PropertyMap& properties) {
  std::vector<PropertyName> names;
  names.reserve(properties.size());
  for (const auto& property : properties) names.emplace_back(property.first);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return {};
  return Invalid(
      fmt::format("the correlation filter names the property '{:.64}' twice", twice->folded()));
}

}  // namespace

Status Check(const CorrelationFilter& filter) {
  for (const auto& [name, value] : filter.application_properties) {
    if (name.empty()) return Invalid("the correlation filter has a property without a name");
    if (IsNull(value)) {
      return Invalid(
          fmt::format("the correlation filter has no value for the property '{:.64}'", name));
    }
  }
  if (filter.application_properties.empty() && FieldsOf(filter).system == 0) {
    return Invalid("a correlation filter needs at least one property to compare");
  }
  return CheckNames(filter.application_properties);
}

}  // namespace wharf
