// EncodeMessage: a message as it goes out over AMQP: what its sender wrote, byte for byte, but for
// what the broker tells and what was changed on the way, field by field (ENC-1, ENC-3).
//
// On the thread of the connection. The body stands between two strings, so that a large one need
// not be copied or be there at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/messages/message.h"
#include "broker/doors/amqp/codec/primitives.h"

namespace wharf::amqp {

// What the broker says of a message that it hands out.
struct Outgoing {
  const StoredMessage& stored;
  // Deliveries that failed.
  std::uint32_t delivery_count = 0;
  // Application properties that were changed since the message was stored, or null.
  const PropertyMap* changed = nullptr;
  // Without an id of its own it has its number as one.
  bool needs_id = false;
  std::optional<Timestamp> locked_until{};
  // 0 active, 1 deferred, 2 scheduled.
  std::optional<std::int32_t> state{};
  bool is_partitioned = false;
  // Told in a delivery annotation: of a message that was asked for by its number.
  std::optional<Uuid> lock_token{};
};

struct EncodedMessage {
  // Up to the first byte of the message's body.
  std::string head;
  // Behind the last one: the footer.
  std::string tail;
};
EncodedMessage EncodeMessage(const Outgoing& outgoing);

// With the body that the message holds.
std::string EncodeWhole(const Outgoing& outgoing);

}  // namespace wharf::amqp
