// BodyHead: how the body of a large message begins: what is known of it before it has come.
//
// A message that is too large to be held is sent on while it comes. Of one section of data, and of
// an amqp-value that is a binary or a string, the first bytes tell how long it is; of any other
// body its end does (BodyWalk). A pure function; used by LargeSend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/message/sections.h"
#include "storage/base/status.h"

namespace wharf::amqp {

struct BodyHead {
  BodyKind kind = BodyKind::kData;
  // Of what stands before the content: descriptor, format code and length.
  std::size_t head_bytes = 0;
  std::uint64_t content_bytes = 0;
  // The head of data as nearly everybody writes it, so that it need not be kept.
  bool is_usual = false;
};

// From Head::body_at on. Nothing: that cannot be said yet; an error: it does not tell its length,
// whatever comes.
Result<std::optional<BodyHead>> ReadBodyHead(std::string_view begin, const DecodeLimits& limits);

}  // namespace wharf::amqp
