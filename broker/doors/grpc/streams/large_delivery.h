// LargeDelivery: the message whose body a ReceiveStream is sending in chunks, and how far it is.
//
// A few chunks are read ahead of the transport, one at a time and in order. A value without
// threads; used by its stream under its lock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include <wharf/v1/messaging.pb.h>

#include "broker/core/queue/queue.h"

namespace wharf {

class LargeDelivery {
 public:
  // `delivered` came without its body.
  explicit LargeDelivery(Delivered delivered);

  const Delivered& delivered() const { return delivered_; }
  const BodyRef& body() const { return *delivered_.message->facts.body_ref; }

  // The chunk to read now; then its read is under way. Nothing if enough is under way, or if all
  // were read.
  std::optional<std::uint32_t> NextRead();
  // What that read brought.
  void Add(std::string chunk);

  // Whether the next response can be made.
  bool is_ready() const { return !is_opened_ || !chunks_.empty(); }
  // The header, then chunk after chunk.
  v1::ReceiveStreamResponse TakeResponse();
  // Of it in memory.
  std::uint64_t waiting_bytes() const { return read_bytes_ - taken_bytes_; }
  // The last response was taken.
  bool is_done() const { return is_opened_ && taken_bytes_ == body().size; }

 private:
  const Delivered delivered_;
  bool is_opened_ = false;  // The header was taken.
  bool is_reading_ = false;
  std::uint32_t next_chunk_ = 0;  // To read.
  std::deque<std::string> chunks_;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t taken_bytes_ = 0;
};

}  // namespace wharf
