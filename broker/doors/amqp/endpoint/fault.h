// Fault: a rule that the peer broke, and how much of the connection it costs: no more than must be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

enum class Scope : std::uint8_t { kLink, kSession, kConnection };

struct Fault {
  Scope scope = Scope::kConnection;
  Error error;
};

using MaybeFault = std::optional<Fault>;

inline Error ErrorOf(std::string_view condition, std::string description) {
  return {.condition = Symbol{std::string(condition)},
          .description = std::move(description),
          .info = std::nullopt};
}

inline Fault LinkFault(std::string_view condition, std::string description) {
  return {Scope::kLink, ErrorOf(condition, std::move(description))};
}

inline Fault SessionFault(std::string_view condition, std::string description) {
  return {Scope::kSession, ErrorOf(condition, std::move(description))};
}

inline Fault ConnectionFault(std::string_view condition, std::string description) {
  return {Scope::kConnection, ErrorOf(condition, std::move(description))};
}

}  // namespace wharf::amqp
