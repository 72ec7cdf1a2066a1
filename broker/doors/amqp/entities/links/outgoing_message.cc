#include "broker/doors/amqp/entities/links/outgoing_message.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {

OutgoingMessage::OutgoingMessage(wharf::Delivered delivered, bool is_partitioned)
    : delivered_(std::move(delivered)) {
  EncodedMessage around = EncodedAround(delivered_, is_partitioned);
  head_ = std::move(around.head);
  tail_ = std::move(around.tail);
  if (body() != nullptr) body_left_ = body()->size;
}

const BodyRef* OutgoingMessage::body() const {
  const MessageFacts& facts = delivered_.message->facts;
  return facts.has_large_body() ? &*facts.body_ref : nullptr;
}

// A body that is not large stays where it is: it is shared with whoever else has the message.
Payload OutgoingMessage::rest() const {
  const std::string& bytes = body() != nullptr ? chunk_ : delivered_.message->message.body;
  Payload rest(head_, bytes, has_all() ? std::string_view(tail_) : std::string_view());
  rest.RemovePrefix(sent_);
  return rest;
}

std::optional<std::uint32_t> OutgoingMessage::NextRead() {
  if (is_reading_ || has_all() || !rest().empty()) return std::nullopt;
  is_reading_ = true;
  return next_chunk_++;
}

void OutgoingMessage::Add(std::string chunk) {
  is_reading_ = false;
  body_left_ -= std::min<std::uint64_t>(body_left_, chunk.size());
  head_.clear();
  chunk_ = std::move(chunk);
  sent_ = 0;
}

}  // namespace wharf::amqp
