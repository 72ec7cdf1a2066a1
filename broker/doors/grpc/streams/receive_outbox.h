// ReceiveOutbox: what a ReceiveStream has still to say: deliveries and answers in their order, and
// the pieces of a large message, between which answers to requests may stand.
//
// A value without threads; used by its stream under its lock.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <grpcpp/support/byte_buffer.h>
#include <wharf/v1/messaging.pb.h>

#include "broker/doors/grpc/streams/large_delivery.h"

namespace wharf {

// What is delivered when a response is written.
struct WrittenDeliveries {
  std::vector<LockToken> tokens;
  std::size_t messages = 0;
  std::int64_t bytes = 0;
  // Of them in memory until then.
  std::int64_t held_bytes = 0;
  // Of a message without a lock, when its last chunk is written.
  std::optional<BodyRef> consumed_body;
};

class ReceiveOutbox {
 public:
  // The next response: an answer, as many deliveries as fit, or a piece of a large one.
  struct Response {
    std::variant<grpc::ByteBuffer, std::vector<Delivered>, v1::ReceiveStreamResponse> content;
    WrittenDeliveries written;

    // The costly part, for which nobody needs a lock.
    grpc::ByteBuffer ToBytes() const;
  };
  // A chunk of this large message that is to be read now.
  struct ChunkRead {
    std::shared_ptr<LargeDelivery> large;
    std::uint32_t chunk = 0;
  };

  void Push(Delivered delivered);
  // In its place behind the deliveries before it.
  void PushAnswer(const grpc::ByteBuffer& answer);
  // To a request: does not wait for the rest of a large message.
  void PushReply(const grpc::ByteBuffer& reply);

  // Of the messages that wait in it, as far as their bodies are in memory.
  std::int64_t bytes() const;
  bool is_empty() const { return items_.empty() && replies_.empty() && large_ == nullptr; }
  // Whether the next response can be made.
  bool is_ready() const;
  Response Take();
  // Answers of both kinds that were not taken.
  std::size_t answer_count() const { return answers_ + replies_.size(); }
  std::size_t answer_bytes() const { return answer_bytes_; }

  std::optional<ChunkRead> NextRead();
  // Whether it is the message that is being sent.
  bool IsSending(const LargeDelivery& large) const { return large_.get() == &large; }

  // Forgets the deliveries, also one that is half sent, and answers what was forgotten.
  std::vector<Delivered> DropDeliveries();
  void DropAnswers();

 private:
  // A ByteBuffer is a handle: a copy shares the bytes.
  using Item = std::variant<Delivered, grpc::ByteBuffer>;

  void BeginLarge();
  Response TakeAnswer(const grpc::ByteBuffer& answer);
  Response TakePiece();
  Response TakeBatch();

  std::deque<Item> items_;
  std::int64_t bytes_ = 0;                // Of the whole messages in them.
  std::size_t answers_ = 0;               // In items_.
  std::deque<grpc::ByteBuffer> replies_;  // They go before the next chunk.
  std::size_t answer_bytes_ = 0;          // Of both kinds.
  std::shared_ptr<LargeDelivery> large_;  // The one that is being sent, if any.
};

}  // namespace wharf
