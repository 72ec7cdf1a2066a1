// Truth: what a filter says of a message. Three-valued, as in SQL; only kTrue is a match (SQL-23).
#pragma once

#include <algorithm>
#include <cstdint>

namespace wharf {

// In the order in which AND takes the least and OR the greatest of two (SQL-17).
enum class Truth : std::uint8_t { kFalse, kUnknown, kTrue };

constexpr Truth TruthOf(bool holds) { return holds ? Truth::kTrue : Truth::kFalse; }

constexpr Truth And(Truth left, Truth right) { return std::min(left, right); }
constexpr Truth Or(Truth left, Truth right) { return std::max(left, right); }

constexpr Truth Not(Truth truth) {
  if (truth == Truth::kUnknown) return Truth::kUnknown;
  return TruthOf(truth == Truth::kFalse);
}

}  // namespace wharf
