// Which field of a message stands behind a field of AMQP's properties, and whether the bytes that
// its sender wrote still say what is in it. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/message.h"

namespace wharf {

// Null for fields that are no text of the message itself.
std::optional<std::string> Message::*TextFieldOf(AmqpField field);

// Whether a field that was encoded so is written so again: the message has not come to say another
// thing. True of what only the sender knows.
bool IsAsEncoded(const Message& message, AmqpField field, std::string_view encoded);

// What of the form of a message still holds.
AmqpForm FormToKeep(const Message& message);

}  // namespace wharf
