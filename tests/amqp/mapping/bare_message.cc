#include "tests/amqp/mapping/bare_message.h"

#include <fmt/format.h>

#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/mapping/outgoing.h"
#include "broker/schema/message_record.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {

Result<wharf::Message> Taken(std::string_view hex) {
  const std::string bytes = FromHex(hex);
  const Result<Sections> sections = SplitSections(bytes, DecodeLimits());
  if (!sections.ok()) return sections.status();
  return MessageOf(*sections, DecodeLimits());
}

StoredMessage Stored(const wharf::Message& message) {
  StoredMessage stored;
  stored.number = SequenceNumber(7);
  stored.enqueued_at = Timestamp(std::chrono::seconds(1000));
  stored.message = message;
  const std::string record = EncodeMessage(stored);
  return *DecodeMessage(stored.number, record);
}

std::string BareBytesIn(std::string_view encoded) {
  const Result<Sections> sections = SplitSections(encoded, DecodeLimits());
  if (!sections.ok()) return sections.status().message();
  return std::string(sections->properties)
      .append(sections->application_properties)
      .append(sections->body)
      .append(sections->footer);
}

std::string BareBytes(const StoredMessage& stored) {
  return BareBytesIn(EncodeWhole({.stored = stored}));
}

std::string HexText(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x} ", static_cast<std::uint8_t>(byte));
  return hex;
}

std::string BareHex(const StoredMessage& stored) { return HexText(BareBytes(stored)); }

}  // namespace wharf::amqp
