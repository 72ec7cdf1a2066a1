// MessageView: a message as filters and actions see it, at any stage of its life and without a
// copy.
//
// Made once for a message and asked by many rules: it hashes the names of the application
// properties, so that a rule finds its property by comparing numbers. What it looks at outlives it
// and does not change meanwhile. Any thread; rules see properties, never the body (RUL-7).
#pragma once

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "broker/core/changes/change.h"
#include "broker/core/messages/message.h"
#include "broker/core/messages/property_value.h"
#include "broker/filter/property_name.h"
#include "broker/filter/system_property.h"
#include "broker/filter/value.h"

namespace wharf {

// The values are those that clients see (PRP-22).
enum class MessageState : std::uint8_t { kActive = 0, kDeferred = 1, kScheduled = 2 };

// What the broker knows of a message and the message does not hold. What is not known (yet) is
// null for rules (SQL-26).
struct BrokerProperties {
  std::optional<SequenceNumber> sequence_number{};
  // Zero: it came from no other entity (PRP-14).
  SequenceNumber enqueued_sequence_number{};
  std::optional<Timestamp> enqueued_at{};
  // kNever is an instant after all others.
  std::optional<Timestamp> expires_at{};
  std::uint32_t delivery_count = 0;
  std::string_view dead_letter_source{};
  std::optional<MessageState> state{};
  // If not given: that of the message, with the body that it holds.
  std::optional<std::int64_t> size{};
};

// What a stored message knows of itself; its delivery count and state are its lane's.
BrokerProperties BrokerPropertiesOf(const StoredMessage& stored);
// The same with what its lane knows, or of a scheduled message.
BrokerProperties BrokerPropertiesOf(const StoredMessage& stored, const Delivery& delivery,
                                    MessageState state);
// A locked and a delayed message are active (STA-3, RTY-2).
MessageState StateOf(Standing standing);

class MessageView {
 public:
  // `changed` are application properties that receivers changed since it was stored (STL-7), or
  // null.
  explicit MessageView(const Message& message, const BrokerProperties& broker = {},
                       const PropertyMap* changed = nullptr);

  // The first application property of that name (USR-4), or null.
  const PropertyValue* Find(const PropertyName& name) const;
  sql::Value Get(SystemProperty property) const;

 private:
  const PropertyValue* FindChanged(const PropertyName& name) const;
  const PropertyValue& Latest(const std::pair<std::string, PropertyValue>& stored) const;

  const Message& message_;
  const BrokerProperties broker_;
  const PropertyMap* const changed_;
  // Of each application property of the message, in order.
  absl::InlinedVector<NameHash, 16> hashes_;
};

}  // namespace wharf
