// Value: any value of AMQP 1.0, as a tree. What type it has is part of it: the symbol "a" is not
// the string "a", an array of two is not a list of two, null is not the absence of a value.
//
// How wide a value was encoded is not kept; who must give back bytes as they came keeps the bytes
// (Reader::TakeEncoded). Plain values, used on every thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/codec/primitives.h"
#include "storage/base/boxed.h"

namespace wharf::amqp {

class Value;
struct MapEntry;
struct Described;

struct List {
  std::vector<Value> items;
};

// In the order in which it came. AMQP has no two entries with the same key; where somebody sends
// them the first one is found.
struct Map {
  std::vector<MapEntry> entries;

  // Null if there is none; of this key as a symbol, or as a string.
  const Value* FindSymbol(std::string_view key) const;
  const Value* FindString(std::string_view key) const;
  // Behind the others.
  void Add(Value key, Value value);
};

// All items have one type, and one constructor on the wire: none is null unless all are.
struct Array {
  // Of each item, the outermost first; mostly there is none.
  std::vector<Value> descriptors;
  Type type = Type::kNull;
  // Without their descriptors.
  std::vector<Value> items;
};

class Value {
 public:
  using Content =
      std::variant<Null, bool, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double, Decimal32,
                   Decimal64, Decimal128, Char, TimestampMs, Uuid, Binary, std::string, Symbol,
                   List, Map, Array, Boxed<Described>>;

  Value() = default;  // Null.
  // Of exactly this type: nothing converts on its way into a Value.
  template <typename T>
  requires(!std::is_same_v<T, Value> &&
           std::is_constructible_v<Content, std::in_place_type_t<T>, T>) explicit Value(T content)
      : content_(std::in_place_type<T>, std::move(content)) {}
  explicit Value(Described described);

  Type type() const { return static_cast<Type>(content_.index()); }
  const Content& content() const { return content_; }

  // Null if it has another type.
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&content_);
  }
  const Described* AsDescribed() const;

  friend bool operator==(const Value& one, const Value& other);

 private:
  Content content_;
};

struct MapEntry {
  Value key;
  Value value;
  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

struct Described {
  Value descriptor;
  Value value;
  friend bool operator==(const Described&, const Described&) = default;
};

bool operator==(const List& one, const List& other);
bool operator==(const Map& one, const Map& other);
bool operator==(const Array& one, const Array& other);

}  // namespace wharf::amqp
