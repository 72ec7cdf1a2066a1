// ReadDescriptor: which type a described value has; its descriptor is a number or a symbol.
#pragma once

#include <cstdint>

#include "broker/doors/amqp/codec/reader.h"

namespace wharf::amqp {

// Behind Reader::EnterDescribed. 0 is none that AMQP has.
std::uint64_t ReadDescriptor(Reader& reader);

}  // namespace wharf::amqp
