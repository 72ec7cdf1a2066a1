// The section `properties`, field by field: what the broker's message says of each, and how it is
// written. Pure functions.
#pragma once

#include <string_view>

#include "broker/core/messages/message.h"
#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/writer.h"

namespace wharf::amqp {

// The next value, as the message has it. What it cannot have is left out: the caller keeps the
// bytes. A value of a type that the field does not have fails the reader.
void TakeField(Reader& reader, AmqpField field, wharf::Message& message,
               CarriedProperties& carried);

// As a sender would write it who writes everything in its shortest encoding; null if the message
// says nothing of it.
void WriteField(Writer& writer, AmqpField field, const wharf::Message& message,
                const CarriedProperties& carried);

}  // namespace wharf::amqp
