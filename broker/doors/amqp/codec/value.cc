#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

const Value* Map::FindSymbol(std::string_view key) const {
  for (const MapEntry& entry : entries) {
    const auto* const found = entry.key.As<Symbol>();
    if (found != nullptr && found->text == key) return &entry.value;
  }
  return nullptr;
}

const Value* Map::FindString(std::string_view key) const {
  for (const MapEntry& entry : entries) {
    const auto* const found = entry.key.As<std::string>();
    if (found != nullptr && *found == key) return &entry.value;
  }
  return nullptr;
}

void Map::Add(Value key, Value value) {
  entries.push_back({.key = std::move(key), .value = std::move(value)});
}

Value::Value(Described described) : content_(Boxed<Described>(std::move(described))) {}

const Described* Value::AsDescribed() const {
  const auto* const box = std::get_if<Boxed<Described>>(&content_);
  return box == nullptr ? nullptr : &**box;
}

bool operator==(const Value& one, const Value& other) {
  if (one.type() != other.type()) return false;
  if (const Described* const described = one.AsDescribed()) {
    return *described == *other.AsDescribed();
  }
  return std::visit(
      [&other](const auto& content) {
        using T = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<T, Boxed<Described>>) {
          return false;
        } else {
          return content == std::get<T>(other.content());
        }
      },
      one.content());
}

bool operator==(const List& one, const List& other) { return one.items == other.items; }

bool operator==(const Map& one, const Map& other) { return one.entries == other.entries; }

bool operator==(const Array& one, const Array& other) {
  return one.type == other.type && one.descriptors == other.descriptors && one.items == other.items;
}

}  // namespace wharf::amqp
