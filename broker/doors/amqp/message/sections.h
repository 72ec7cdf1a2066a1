// Sections: where the sections of an encoded message are, so that each can be kept as its bytes.
//
//   header? delivery-annotations? message-annotations? | the bare message: properties?
//   application-properties? body | footer?       (the body: data+, amqp-sequence+, or one
//   amqp-value)
//
// Views of the bytes of the message, with their descriptors; empty where there is no such section.
// Everything in them has been looked at: it is encoded as AMQP has it, and bounded in depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"

namespace wharf::amqp {

enum class BodyKind : std::uint8_t { kData, kSequence, kValue };

struct Sections {
  std::string_view header;
  std::string_view delivery_annotations;
  std::string_view message_annotations;
  std::string_view properties;
  std::string_view application_properties;
  // All sections of the body.
  std::string_view body;
  std::string_view footer;

  BodyKind body_kind = BodyKind::kData;
  std::size_t body_sections = 0;
};

// An error says which section is missing, twice, at a wrong place or broken. A footer may stand
// before the body as well.
Result<Sections> SplitSections(std::string_view message, const DecodeLimits& limits);

// The sections before the body of a message whose bytes are still coming, and where the body
// begins; a footer, if it stands there: then none may stand behind the body. Nothing if that cannot
// be said yet; an error will not go away with more bytes. Whoever waits for a head bounds how long
// it may get.
struct Head {
  Sections sections;
  std::size_t body_at = 0;
};
Result<std::optional<Head>> SplitHead(std::string_view begin, const DecodeLimits& limits);

// What stands in a section; of one that is not there, what an empty one would say.
Result<Header> HeaderOf(std::string_view section, const DecodeLimits& limits);
Result<Properties> PropertiesOf(std::string_view section, const DecodeLimits& limits);
// Of annotations, application properties and footers.
Result<Map> MapOf(std::string_view section, const DecodeLimits& limits);

}  // namespace wharf::amqp
