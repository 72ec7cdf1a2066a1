// A decimal's text as the decimal128 of IEEE 754, binary integer encoding, big-endian: what AMQP
// calls decimal128, and .NET reads. It keeps its scale. A pure function.
#pragma once

#include <optional>
#include <string_view>

#include "broker/doors/amqp/codec/primitives.h"

namespace wharf::amqp {

// Nothing for a text that is no decimal, or has more than 34 digits.
std::optional<Decimal128> Decimal128Of(std::string_view text);

}  // namespace wharf::amqp
