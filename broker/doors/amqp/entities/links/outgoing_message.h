// OutgoingMessage: the message that a ReceiveLink is writing, and how far it is. One with a large
// body is encoded without it, and the chunks come behind, one at a time. On the strand of its link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/queue/queue.h"
#include "broker/doors/amqp/endpoint/payload.h"

namespace wharf::amqp {

class OutgoingMessage {
 public:
  OutgoingMessage(wharf::Delivered delivered, bool is_partitioned);

  const wharf::Delivered& delivered() const { return delivered_; }
  // Null: it has no large body.
  const BodyRef* body() const;

  // What is there to be written, and whether it is the last of the message.
  Payload rest() const;
  bool has_all() const { return body_left_ == 0; }
  void NoteSent(std::size_t bytes) { sent_ += bytes; }
  bool has_begun = false;

  // The chunk to read now, as what was read is written; then its read is under way.
  std::optional<std::uint32_t> NextRead();
  // What that read brought.
  void Add(std::string chunk);

 private:
  wharf::Delivered delivered_;
  // Before the body, until it is written; and behind it.
  std::string head_;
  std::string tail_;
  // Of a large body: what is there of it, what is not read yet, and what to read next.
  std::string chunk_;
  std::uint64_t body_left_ = 0;
  std::uint32_t next_chunk_ = 0;
  // Of what is there.
  std::size_t sent_ = 0;
  bool is_reading_ = false;
};

}  // namespace wharf::amqp
