// LargeAnswer: a message over 1 MiB that was asked for by its number, as the answer to that: what
// stands before its body, then its chunks as they are read from the store, one at a time.
//
// It is locked until the last of it is told. Who wanted it deleted has it completed before that:
// with its last piece it is gone, or that piece never comes. Kept by the answer, and by what it
// asks of the broker; on the strand of the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "broker/doors/amqp/entities/management/operation.h"

namespace wharf::amqp {

class LargeAnswer final : public std::enable_shared_from_this<LargeAnswer> {
 public:
  // `delivered` is locked and has a large body.
  static LargeReplyMessage Begin(const Operation& operation, const wharf::Delivered& delivered,
                                 std::int32_t state, bool is_consumed);

  LargeAnswer(const Operation& operation, const wharf::Delivered& delivered, std::string tail,
              bool is_consumed);

 private:
  void Read(ReplyLinks::Tell tell);
  void OnChunk(Result<std::string> chunk, const ReplyLinks::Tell& tell);
  // The last piece waits for it.
  void Complete(std::string last, ReplyLinks::Tell tell);

  const LinkWorld world_;
  const Caller caller_;
  const LaneId lane_;
  const BodyRef body_;
  const LockToken token_;
  // Behind the body: the footer.
  const std::string tail_;
  const bool is_consumed_;

  std::uint64_t body_left_;
  std::uint32_t next_chunk_ = 0;
};

}  // namespace wharf::amqp
