// How composite types are read and written: a descriptor and a list of fields, in which what stands
// at the end may be left out. Included by the generated composites.cc alone; who uses the types
// includes composites.h.
//
// A type shows its fields, in their order, to a visitor: Mandatory, Optional (absent is nothing),
// Default (absent is the default, and so written), Multiple (absent, one or an array of them are a
// vector). What is wrong is told with the name of its field: "open.channel-max: byte 9: a uint
// where a ushort is due".
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/value.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/types/choices.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

template <typename T>
concept Composite = requires {
  T::kDescriptor;
};
template <typename T>
concept Enumerated = requires {
  Choices<T>::kName;
};
template <typename T>
inline constexpr bool kIsVariant = false;
template <typename... Ts>
inline constexpr bool kIsVariant<std::variant<Ts...>> = true;

// The type that a value of this C++ type has.
template <typename T, typename Content = Value::Content>
inline constexpr Type kTypeOf = Type::kNull;
template <typename T, typename... Ts>
inline constexpr Type kTypeOf<T, std::variant<Ts...>> = [] {
  std::uint8_t index = 0;
  [[maybe_unused]] const bool is_none = ((std::is_same_v<T, Ts> ? false : (++index, true)) && ...);
  return static_cast<Type>(index);
}();

template <typename T>
void ReadFieldsOf(Reader& reader, T& out);
template <typename T>
void ReadComposite(Reader& reader, T& out);
template <typename... Ts>
void ReadOneOf(Reader& reader, std::variant<Ts...>& out);

template <Enumerated T>
void ReadChoice(Reader& reader, T& out) {
  const auto& values = Choices<T>::kValues;
  using Wire = std::decay_t<decltype(values[0])>;
  Wire wire{};
  if constexpr (std::is_same_v<Wire, std::string_view>) {
    wire = reader.ReadSymbol();
  } else {
    reader.Read(wire);
  }
  const auto* const found = std::find(values.begin(), values.end(), wire);
  if (found == values.end()) return reader.Fail("none of its values");
  out = static_cast<T>(found - values.begin());
}

template <typename T>
void ReadField(Reader& reader, T& out) {
  if constexpr (Composite<T>) {
    ReadComposite(reader, out);
  } else if constexpr (Enumerated<T>) {
    ReadChoice(reader, out);
  } else if constexpr (kIsVariant<T>) {
    ReadOneOf(reader, out);
  } else {
    reader.Read(out);
  }
}

// One, or an array of them.
inline void ReadMultiple(Reader& reader, std::vector<Symbol>& out) {
  if (reader.PeekType() != Type::kArray) return reader.Read(out.emplace_back());
  Array array;
  reader.Read(array);
  const bool are_symbols = array.type == Type::kSymbol && array.descriptors.empty();
  if (!are_symbols && !array.items.empty()) return reader.Fail("an array of other than symbols");
  for (const Value& item : array.items) out.push_back(*item.As<Symbol>());
}

class FieldReader {
 public:
  FieldReader(Reader& reader, std::string_view composite)
      : reader_(reader), composite_(composite), list_(reader.EnterList()) {}

  template <typename T>
  void Mandatory(std::string_view name, T& field) {
    if (!reader_.ok()) return;
    if (HasNext()) {
      ReadField(reader_, field);
    } else {
      reader_.Fail("missing");
    }
    Name(name);
  }
  template <typename T>
  void Optional(std::string_view name, std::optional<T>& field) {
    if (!HasNext()) return;
    ReadField(reader_, field.emplace());
    Name(name);
  }
  template <typename T>
  void Default(std::string_view name, T& field, const T& otherwise) {
    field = otherwise;
    if (!HasNext()) return;
    ReadField(reader_, field);
    Name(name);
  }
  template <typename T>
  void Multiple(std::string_view name, std::vector<T>& field) {
    if (!HasNext()) return;
    ReadMultiple(reader_, field);
    Name(name);
  }
  template <typename T>
  void MandatoryMultiple(std::string_view name, std::vector<T>& field) {
    if (!reader_.ok()) return;
    Multiple(name, field);
    if (reader_.ok() && field.empty()) {
      reader_.Fail("missing");
      Name(name);
    }
  }
  void Finish() {
    if (!reader_.ok()) return;
    if (taken_ < list_.count) reader_.Fail("more fields than it has");
    reader_.Leave(list_);
    reader_.FailedIn(composite_);
  }

 private:
  bool HasNext() {
    if (!reader_.ok() || taken_ == list_.count) return false;
    ++taken_;
    return !reader_.TakeNull();
  }
  void Name(std::string_view name) {
    if (!reader_.ok()) reader_.FailedIn(std::string(composite_) + "." + std::string(name));
  }

  Reader& reader_;
  const std::string_view composite_;
  const Reader::Compound list_;
  std::uint32_t taken_ = 0;
};

template <typename T>
void ReadFieldsOf(Reader& reader, T& out) {
  FieldReader fields(reader, T::kName);
  T::Visit(fields, out);
  fields.Finish();
}

template <typename T>
void ReadComposite(Reader& reader, T& out) {
  reader.EnterDescribed();
  if (ReadDescriptor(reader) != T::kDescriptor) {
    return reader.Fail("another type than " + std::string(T::kName));
  }
  ReadFieldsOf(reader, out);
  reader.LeaveDescribed();
}

template <typename... Ts>
void ReadOneOf(Reader& reader, std::variant<Ts...>& out) {
  if constexpr ((Composite<Ts> && ...)) {
    reader.EnterDescribed();
    const std::uint64_t code = ReadDescriptor(reader);
    if (!reader.ok()) return;
    const bool is_one =
        ((code == Ts::kDescriptor && (ReadFieldsOf(reader, out.template emplace<Ts>()), true)) ||
         ...);
    if (!is_one) reader.Fail("a type that has no place here");
    reader.LeaveDescribed();
  } else {
    const Type type = reader.PeekType();
    if (!reader.ok()) return;
    const bool is_one =
        ((type == kTypeOf<Ts> && (reader.Read(out.template emplace<Ts>()), true)) || ...);
    if (!is_one) reader.Fail(ATypeName(type) + " has no place here");
  }
}

template <typename T>
void WriteComposite(Writer& writer, const T& value);

template <typename T>
void WriteField(Writer& writer, const T& value) {
  if constexpr (Composite<T>) {
    WriteComposite(writer, value);
  } else if constexpr (kIsVariant<T>) {
    std::visit([&writer](const auto& one) { WriteField(writer, one); }, value);
  } else if constexpr (Enumerated<T>) {
    const auto& wire = Choices<T>::kValues[static_cast<std::size_t>(value)];
    if constexpr (std::is_same_v<std::decay_t<decltype(wire)>, std::string_view>) {
      writer.WriteSymbol(wire);
    } else {
      writer.Write(wire);
    }
  } else {
    writer.Write(value);
  }
}

class FieldWriter {
 public:
  explicit FieldWriter(Writer& writer) : writer_(writer), begin_(writer.Begin()) {}

  template <typename T>
  void Mandatory(std::string_view, const T& field) {
    WriteNulls();
    WriteField(writer_, field);
    ++count_;
  }
  template <typename T>
  void Optional(std::string_view name, const std::optional<T>& field) {
    field.has_value() ? Mandatory(name, *field) : Absent();
  }
  template <typename T>
  void Default(std::string_view name, const T& field, const T& otherwise) {
    field == otherwise ? Absent() : Mandatory(name, field);
  }
  // Always as an array: everybody reads that.
  template <typename T>
  void Multiple(std::string_view name, const std::vector<T>& field) {
    if (field.empty()) return Absent();
    Array array{.descriptors = {}, .type = kTypeOf<T>, .items = {}};
    for (const T& item : field) array.items.emplace_back(item);
    Mandatory(name, array);
  }
  template <typename T>
  void MandatoryMultiple(std::string_view name, const std::vector<T>& field) {
    Multiple(name, field);
  }
  // Whether those at the end that are absent stand there, too.
  void Finish(bool is_whole) {
    if (is_whole) WriteNulls();
    writer_.EndList(begin_, count_);
  }

 private:
  void Absent() { ++absent_; }
  void WriteNulls() {
    for (; absent_ > 0; --absent_, ++count_) writer_.WriteNull();
  }

  Writer& writer_;
  const Writer::Mark begin_;
  std::uint32_t count_ = 0;
  std::uint32_t absent_ = 0;
};

template <typename T>
void WriteComposite(Writer& writer, const T& value) {
  writer.BeginDescribed(T::kDescriptor);
  FieldWriter fields(writer);
  T::Visit(fields, value);
  fields.Finish(T::kIsWhole);
}

}  // namespace wharf::amqp
