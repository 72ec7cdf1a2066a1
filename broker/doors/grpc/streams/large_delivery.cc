#include "broker/doors/grpc/streams/large_delivery.h"

#include <utility>

#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

// With the one that is being read and the one that is being written: four in memory.
constexpr std::size_t kChunksAheadMax = 2;

}  // namespace

LargeDelivery::LargeDelivery(Delivered delivered) : delivered_(std::move(delivered)) {}

std::optional<std::uint32_t> LargeDelivery::NextRead() {
  if (is_reading_ || chunks_.size() == kChunksAheadMax || read_bytes_ == body().size) {
    return std::nullopt;
  }
  is_reading_ = true;
  return next_chunk_++;
}

void LargeDelivery::Add(std::string chunk) {
  is_reading_ = false;
  read_bytes_ += chunk.size();
  chunks_.push_back(std::move(chunk));
}

v1::ReceiveStreamResponse LargeDelivery::TakeResponse() {
  v1::ReceiveStreamResponse response;
  if (!std::exchange(is_opened_, true)) {
    v1::LargeDeliveryHeader& header = *response.mutable_header();
    ToProto(delivered_, header.mutable_message());
    header.set_body_size(static_cast<std::int64_t>(body().size));
    return response;
  }
  taken_bytes_ += chunks_.front().size();
  response.mutable_chunk()->set_data(std::move(chunks_.front()));
  chunks_.pop_front();
  return response;
}

}  // namespace wharf
