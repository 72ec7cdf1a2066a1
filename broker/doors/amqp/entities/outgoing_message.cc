#include "broker/doors/amqp/entities/outgoing_message.h"

#include <algorithm>
#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {

OutgoingMessage::OutgoingMessage(wharf::Delivered delivered, bool is_partitioned)
    : delivered_(std::move(delivered)) {
  EncodedMessage around = EncodedAround(delivered_, is_partitioned);
  bytes_ = std::move(around.head);
  if (body() == nullptr) {
    bytes_ += delivered_.message->message.body;
    bytes_ += around.tail;
    return;
  }
  body_left_ = body()->size;
  tail_ = std::move(around.tail);
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
  if (body_left_ == 0) bytes_ += tail_;
  sent_ = 0;
}

}  // namespace wharf::amqp
