// WriteArray: the one value whose items share a constructor, in the widest encoding of their type,
// because it must fit all of them. Used by Writer.
#pragma once

#include <string>

#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

void WriteArray(const Array& array, std::string& out);

}  // namespace wharf::amqp
