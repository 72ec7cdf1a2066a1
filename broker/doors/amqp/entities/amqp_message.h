// AmqpMessage: a message as a link has it, as the broker's own, and back; by `mapping`, which knows
// what stands in a message and keeps how it was written (ENC-3).
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/message.h"
#include "broker/core/queue/queue.h"
#include "broker/doors/amqp/codec/value.h"
#include "broker/doors/amqp/mapping/outgoing.h"
#include "storage/base/status.h"

namespace wharf::amqp {

// As it is told but for the tag of a delivery.
Uuid UuidOf(const LockToken& token);

Result<Message> MessageOf(std::string_view encoded);

// With what the broker adds (ENC-1), its lock if it has one, and its body; instead of a large one
// an empty one. `state`: as it is told of messages that are peeked, or received by number.
std::string EncodedOf(const wharf::Delivered& delivered, std::optional<std::int32_t> state = {},
                      bool is_partitioned = false);
// What stands before and behind the body, which may be large.
EncodedMessage EncodedAround(const wharf::Delivered& delivered, bool is_partitioned = false);
// With its lock and its state, as EncodedOf.
EncodedMessage EncodedAround(const wharf::Delivered& delivered, std::int32_t state,
                             bool is_partitioned);

// Of an application, as its settlement changes them; an error if a name is no text. What is said
// here was decoded with the frame around it, and each value stands in its shortest encoding.
Result<PropertyMap> PropertiesFrom(const Map& map);
Map MapFrom(const PropertyMap& properties);

}  // namespace wharf::amqp
