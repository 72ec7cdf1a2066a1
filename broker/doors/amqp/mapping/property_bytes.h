// The values of properties, annotations and footers as AMQP encodes them, and back.
//
// A value that comes is plain if its shortest encoding is the one that came; otherwise its bytes
// are kept, so that they leave as they came (ENC-3). Pure functions.
#pragma once

#include <string_view>

#include "broker/core/messages/property_value.h"
#include "broker/doors/amqp/codec/writer.h"

namespace wharf::amqp {

// Of one encoded value that was looked at before.
PropertyValue PropertyOf(std::string_view encoded);

// A decimal that is none, or too long for AMQP, is written as its text.
void WriteProperty(Writer& writer, const PropertyValue& value);

}  // namespace wharf::amqp
