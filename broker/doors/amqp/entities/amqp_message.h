// AmqpMessage: a message as AMQP encodes it, as the broker's own, and back: as far as what the
// broker keeps of a message today can say it. What it cannot say is refused, not dropped.
//
// The only file of this room that knows what stands in a message. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "broker/core/messages/message.h"
#include "broker/core/queue/queue.h"
#include "broker/doors/amqp/codec/value.h"
#include "storage/base/status.h"

namespace wharf::amqp {

Result<Message> MessageOf(std::string_view encoded);

// With what the broker adds (ENC-1).
std::string EncodedOf(const wharf::Delivered& delivered);

// Of an application, by the types of USR-2.
Result<PropertyMap> PropertiesFrom(const Map& map);
Map MapFrom(const PropertyMap& properties);

}  // namespace wharf::amqp
