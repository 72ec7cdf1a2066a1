// OutgoingMessage: the message that a ReceiveLink is writing, and how far it is. One with a large
// body is encoded without it, and the chunks come behind, one at a time. On the strand of its link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/queue/queue.h"

namespace wharf::amqp {

class OutgoingMessage {
 public:
  OutgoingMessage(wharf::Delivered delivered, bool is_partitioned);

  const wharf::Delivered& delivered() const { return delivered_; }
  // Null: it has no large body.
  const BodyRef* body() const;

  // What is there to be written, and whether it is the last of the message.
  std::string_view rest() const { return std::string_view(bytes_).substr(sent_); }
  bool has_all() const { return body_left_ == 0; }
  void NoteSent(std::size_t bytes) { sent_ += bytes; }
  bool has_begun = false;

  // The chunk to read now, as what was read is written; then its read is under way.
  std::optional<std::uint32_t> NextRead();
  // What that read brought.
  void Add(std::string chunk);

 private:
  wharf::Delivered delivered_;
  std::string bytes_;
  std::size_t sent_ = 0;
  // Of a large body, not read yet.
  std::uint64_t body_left_ = 0;
  std::uint32_t next_chunk_ = 0;
  // Behind it: the footer.
  std::string tail_;
  bool is_reading_ = false;
};

}  // namespace wharf::amqp
