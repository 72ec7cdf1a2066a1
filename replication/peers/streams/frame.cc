#include "replication/peers/streams/frame.h"

#include <algorithm>
#include <utility>

#include <absl/strings/escaping.h>
#include <boost/endian/conversion.hpp>
#include <fmt/core.h>

#include "storage/base/crc32c.h"

namespace wharf {
namespace {

namespace endian = boost::endian;

constexpr std::size_t kNumberAt = 4;
constexpr std::size_t kKindAt = 8;
constexpr std::size_t kCrcAt = 9;
// Memory for a payload is not made before so much of it is there.
constexpr std::size_t kGrowthBytes = 256 << 10;

std::uint8_t* Bytes(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

std::uint32_t CrcOf(std::string_view head, std::string_view payload) {
  return Crc32c(payload, Crc32c(head.substr(0, kCrcAt)));
}

bool IsKind(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(FrameKind::kHello) &&
         kind <= static_cast<std::uint8_t>(FrameKind::kRelayed);
}

// What people try when a port does not answer as they think.
Status NoPreface(std::string_view bytes) {
  constexpr std::string_view kTlsRecord = "\x16\x03";
  if (bytes.starts_with(kTlsRecord)) {
    return Broken("it speaks TLS, and this node speaks with its peers in the clear");
  }
  return Broken(fmt::format(
      "it does not speak the protocol of Wharf's peers, but says \"{}\"",
      absl::CHexEscape(absl::string_view(bytes.data(), std::min<std::size_t>(bytes.size(), 24)))));
}

}  // namespace

Status Broken(std::string sentence) {
  return {ErrorCode::kServiceCommunicationProblem, std::move(sentence)};
}

void FrameWriter::Write(FrameKind kind, std::string_view payload, std::string& out) {
  if (!std::exchange(has_begun_, true)) out += kPeerPreface;
  std::string head(kFrameHeadBytes, '\0');
  endian::store_little_u32(Bytes(head), static_cast<std::uint32_t>(payload.size()));
  endian::store_little_u32(Bytes(head) + kNumberAt, number_++);
  head[kKindAt] = static_cast<char>(kind);
  endian::store_little_u32(Bytes(head) + kCrcAt, CrcOf(head, payload));
  out += head;
  out += payload;
}

Status FrameReader::Feed(std::string_view bytes, const Sink& sink) {
  WHARF_RETURN_IF_ERROR(TakePreface(bytes));
  while (!bytes.empty()) {
    if (head_.size() < kFrameHeadBytes) WHARF_RETURN_IF_ERROR(TakeHead(bytes));
    // A payload may be empty, and then nothing more needs to come.
    const bool is_whole = head_.size() == kFrameHeadBytes && TakePayload(bytes);
    if (is_whole) WHARF_RETURN_IF_ERROR(Finish(sink));
  }
  return {};
}

Status FrameReader::TakePreface(std::string_view& bytes) {
  const std::string_view due = kPeerPreface.substr(preface_seen_);
  const std::size_t size = std::min(due.size(), bytes.size());
  if (!due.starts_with(bytes.substr(0, size))) return NoPreface(bytes);
  preface_seen_ += size;
  bytes.remove_prefix(size);
  return {};
}

// A head alone is believed as far as it costs nothing: its crc covers the payload, too.
Status FrameReader::TakeHead(std::string_view& bytes) {
  const std::size_t size = std::min(kFrameHeadBytes - head_.size(), bytes.size());
  head_ += bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (head_.size() < kFrameHeadBytes) return {};
  length_ = endian::load_little_u32(Bytes(head_));
  const std::uint32_t number = endian::load_little_u32(Bytes(head_) + kNumberAt);
  if (length_ > payload_bytes_max_) {
    return Broken(
        fmt::format("a frame of {} bytes came where {} are allowed", length_, payload_bytes_max_));
  }
  if (number != number_) {
    return Broken(fmt::format("frame {} came where frame {} was due", number, number_));
  }
  return {};
}

bool FrameReader::TakePayload(std::string_view& bytes) {
  const std::size_t size = std::min(length_ - payload_.size(), bytes.size());
  if (payload_.empty()) payload_.reserve(std::min(length_, kGrowthBytes));
  payload_ += bytes.substr(0, size);
  bytes.remove_prefix(size);
  return payload_.size() == length_;
}

Status FrameReader::Finish(const Sink& sink) {
  if (endian::load_little_u32(Bytes(head_) + kCrcAt) != CrcOf(head_, payload_)) {
    return Broken(fmt::format("frame {} was damaged on its way", number_));
  }
  const auto kind = static_cast<std::uint8_t>(head_[kKindAt]);
  if (!IsKind(kind)) return Broken(fmt::format("a frame of the unknown kind {} came", kind));
  ++number_;
  head_.clear();
  return sink({.kind = static_cast<FrameKind>(kind), .payload = std::exchange(payload_, {})});
}

}  // namespace wharf
