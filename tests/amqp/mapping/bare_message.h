// Messages of AMQP as people read them, taken in, and given out again.
#pragma once

#include <string>
#include <string_view>

#include "broker/core/messages/message.h"
#include "storage/base/status.h"

namespace wharf::amqp {

// What a sender wrote becomes the broker's (tests/amqp/hex.h).
Result<wharf::Message> Taken(std::string_view hex);
// As it is stored, and read again.
StoredMessage Stored(const wharf::Message& message);

// What goes out of it between the annotations and the end: the bare message, and the footer.
std::string BareBytes(const StoredMessage& stored);
// The same of what went out.
std::string BareBytesIn(std::string_view encoded);
// As hexadecimal digits, for a readable difference.
std::string BareHex(const StoredMessage& stored);
std::string HexText(std::string_view bytes);

}  // namespace wharf::amqp
