// NumberOf: a number of any of AMQP's integer types: clients take that which their language has.
// Used where a body or a property says one.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

inline std::optional<std::int64_t> NumberOf(const Value& value) {
  return std::visit(
      [](const auto& content) -> std::optional<std::int64_t> {
        using T = std::decay_t<decltype(content)>;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          return static_cast<std::int64_t>(content);
        }
        return std::nullopt;
      },
      value.content());
}

}  // namespace wharf::amqp
