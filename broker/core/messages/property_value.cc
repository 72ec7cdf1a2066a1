#include "broker/core/messages/property_value.h"

#include <algorithm>
#include <type_traits>

namespace wharf {
namespace {

struct ValueSize {
  std::size_t operator()(std::monostate) const { return 0; }
  std::size_t operator()(const std::string& text) const { return text.size(); }
  std::size_t operator()(const Decimal& decimal) const { return decimal.text.size(); }
  std::size_t operator()(const Uri& uri) const { return uri.text.size(); }
  std::size_t operator()(const EncodedValue& value) const { return value.bytes.size(); }
  template <typename Fixed>
  std::size_t operator()(const Fixed&) const {
    return sizeof(Fixed);
  }
};

}  // namespace

void Merge(PropertyMap& properties, const PropertyMap& changes) {
  for (const auto& change : changes) {
    const auto found =
        std::find_if(properties.begin(), properties.end(),
                     [&](const auto& property) { return property.first == change.first; });
    if (found != properties.end()) {
      found->second = change.second;
    } else {
      properties.push_back(change);
    }
  }
}

std::size_t SizeOf(const std::pair<std::string, PropertyValue>& property) {
  return property.first.size() + std::visit(ValueSize(), property.second);
}

std::size_t SizeOf(const PropertyMap& properties) {
  std::size_t size = 0;
  for (const auto& property : properties) size += SizeOf(property);
  return size;
}

}  // namespace wharf
