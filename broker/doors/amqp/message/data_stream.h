// DataStream: a body of data sections whose bytes come in pieces of any size: what stands in the
// sections goes on as it comes, without their heads, and the footer is kept.
//
// Holds the head of one section, and the footer. For messages that are too large to be held; who
// needs their bytes as they came keeps the pieces. One owner, on one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/codec/reader.h"
#include "storage/base/status.h"

namespace wharf::amqp {

class DataStream {
 public:
  using Sink = std::function<void(std::string_view data)>;

  DataStream(std::size_t footer_bytes_max, const DecodeLimits& limits)
      : footer_bytes_max_(footer_bytes_max), limits_(limits) {}

  // From Head::body_at on. After an error nothing more is taken.
  Status Feed(std::string_view piece, const Sink& sink);
  // The message is over: whether it could end here.
  Status Finish();

  std::size_t sections() const { return sections_; }
  // As its bytes; empty if there is none.
  const std::string& footer() const { return footer_; }

 private:
  // Byte by byte, until the head of the section is whole.
  Status TakeHead(std::string_view& piece);
  Status OnHead(bool& is_whole);

  const std::size_t footer_bytes_max_;
  const DecodeLimits limits_;
  std::string head_;
  // Of the section's data.
  std::uint64_t left_ = 0;
  std::size_t sections_ = 0;
  bool is_footer_ = false;
  std::string footer_;
};

}  // namespace wharf::amqp
