#include "broker/doors/amqp/entities/outgoing_message.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {
namespace {

// Of a body that is one data section; others are kept with the heads of their sections. What was
// encoded ends with that of an empty one.
void GrowData(std::string& encoded, std::uint64_t size) {
  constexpr std::string_view kEmpty("\xa0\0", 2);
  assert(std::string_view(encoded).ends_with(kEmpty));
  encoded.resize(encoded.size() - kEmpty.size());
  encoded.push_back(static_cast<char>(code::kBinary32));
  for (int shift = 24; shift >= 0; shift -= 8) {
    encoded.push_back(static_cast<char>((size >> shift) & 0xff));
  }
}

}  // namespace

OutgoingMessage::OutgoingMessage(wharf::Delivered delivered)
    : delivered_(std::move(delivered)), bytes_(EncodedOf(delivered_)) {
  if (body() == nullptr) return;
  body_left_ = body()->size;
  if (delivered_.message->message.body_kind == wharf::BodyKind::kData) {
    GrowData(bytes_, body_left_);
  }
}

const BodyRef* OutgoingMessage::body() const {
  const MessageFacts& facts = delivered_.message->facts;
  return facts.has_large_body() ? &*facts.body_ref : nullptr;
}

std::optional<std::uint32_t> OutgoingMessage::NextRead() {
  if (is_reading_ || has_all() || !rest().empty()) return std::nullopt;
  is_reading_ = true;
  return next_chunk_++;
}

void OutgoingMessage::Add(std::string chunk) {
  is_reading_ = false;
  body_left_ -= std::min<std::uint64_t>(body_left_, chunk.size());
  bytes_ = std::move(chunk);
  sent_ = 0;
}

}  // namespace wharf::amqp
