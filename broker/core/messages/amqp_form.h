// AmqpForm: how a sender over AMQP wrote what the fields of its message tell in substance, as far
// as those would be written otherwise; so that the message leaves byte for byte as it came (ENC-3).
//
// The fields of the message are the truth: what the broker or a rule changed there is written anew,
// and what stands here of it counts no more. Empty where the sender wrote everything in its
// shortest encoding. A plain value; made and used by the AMQP door, carried by everybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wharf {

// The fields of AMQP's section `properties`, by their place in it.
enum class AmqpField : std::uint8_t {
  kMessageId,
  kUserId,
  kTo,
  kSubject,
  kReplyTo,
  kCorrelationId,
  kContentType,
  kContentEncoding,
  kAbsoluteExpiryTime,
  kCreationTime,
  kGroupId,
  kGroupSequence,
  kReplyToGroupId,
  kEnd,
};

struct AmqpForm {
  struct Section {
    // Encoded, with the byte 0 before it; empty: a number of one byte, as nearly everybody has it.
    std::string descriptor;
    // The format code of the list, map or binary; 0: the shortest one, and no section at all where
    // nothing stands in it.
    std::uint8_t code = 0;

    bool is_usual() const { return descriptor.empty() && code == 0; }
    friend bool operator==(const Section&, const Section&) = default;
  };

  Section properties;
  Section application_properties;
  // Of a body of one data section.
  Section data;
  // How many fields `properties` had, if nulls stood at its end; else 0.
  std::uint8_t property_count = 0;
  // Of `properties`, in order: each encoded.
  std::vector<std::pair<AmqpField, std::string>> fields;
  // Application properties whose short name was written as a long one.
  std::vector<std::string> long_names;
  // Message annotations whose key is no symbol, or a short one written as a long one: keys and
  // values, encoded one behind the other.
  std::string annotations;
  // The whole section, if CarriedProperties::footer does not say it.
  std::string footer;

  bool is_empty() const { return *this == AmqpForm(); }
  // Null if it has none.
  const std::string* Find(AmqpField field) const;

  friend bool operator==(const AmqpForm&, const AmqpForm&) = default;
};

// As it counts toward limits and quotas.
std::size_t SizeOf(const AmqpForm& form);

// The text of a field that a message keeps as text (of user-id: its bytes), from how it was
// encoded. Nothing for the other fields, and for what does not fit.
std::optional<std::string> TextOf(AmqpField field, std::string_view encoded);

}  // namespace wharf
