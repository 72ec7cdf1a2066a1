// Composite types as people read them, with the fields that are there:
//
//   attach{name="s", handle=0:uint, role=sender, target=target{address="q"}}
//
// Included by the generated composites.cc alone, as composite.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/types/composite.h"

namespace wharf::amqp {

template <typename T>
std::string TextOfComposite(const T& value);

template <typename T>
std::string TextOfField(const T& field) {
  if constexpr (Composite<T>) {
    return TextOfComposite(field);
  } else if constexpr (kIsVariant<T>) {
    return std::visit([](const auto& one) { return TextOfField(one); }, field);
  } else if constexpr (Enumerated<T>) {
    return std::string(Choices<T>::kWords[static_cast<std::size_t>(field)]);
  } else if constexpr (std::is_same_v<T, Value>) {
    return TextOf(field);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return std::to_string(field);
  } else {
    return TextOf(Value(field));
  }
}

class FieldText {
 public:
  explicit FieldText(std::string_view composite) : text_(std::string(composite) + "{") {}

  template <typename T>
  void Mandatory(std::string_view name, const T& field) {
    if (text_.back() != '{') text_ += ", ";
    text_ += std::string(name) + "=" + TextOfField(field);
  }
  template <typename T>
  void Optional(std::string_view name, const std::optional<T>& field) {
    if (field.has_value()) Mandatory(name, *field);
  }
  template <typename T>
  void Default(std::string_view name, const T& field, const T& otherwise) {
    if (field != otherwise) Mandatory(name, field);
  }
  template <typename T>
  void Multiple(std::string_view name, const std::vector<T>& field) {
    if (field.empty()) return;
    List list;
    for (const T& item : field) list.items.emplace_back(item);
    Mandatory(name, list);
  }
  template <typename T>
  void MandatoryMultiple(std::string_view name, const std::vector<T>& field) {
    Multiple(name, field);
  }
  std::string Finish() { return std::move(text_) + "}"; }

 private:
  std::string text_;
};

template <typename T>
std::string TextOfComposite(const T& value) {
  FieldText fields(T::kName);
  T::Visit(fields, value);
  return fields.Finish();
}

}  // namespace wharf::amqp
