#include "replication/snapshots/snapshot_message.h"

namespace wharf {
namespace {

constexpr std::size_t kHeadBytes = 8 + 1 + 4 + 8;
constexpr std::size_t kAskBytes = kHeadBytes + 4;
constexpr std::size_t kNoticeBytes = 8 + 1 + 8 + 8;

void PutNumber(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (; bytes > 0; --bytes, number >>= 8) out.push_back(static_cast<char>(number & 0xFF));
}

// Takes them off; there are enough.
std::uint64_t TakeNumber(std::string_view& in, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t at = bytes; at > 0; --at) {
    number = (number << 8) | static_cast<std::uint8_t>(in[at - 1]);
  }
  in.remove_prefix(bytes);
  return number;
}

template <typename Message>
std::string EncodeHead(const Message& message, std::size_t more) {
  std::string out;
  out.reserve(kHeadBytes + more + 1);
  PutNumber(message.snapshot, 8, out);
  PutNumber(static_cast<std::uint64_t>(message.kind), 1, out);
  PutNumber(message.file, 4, out);
  PutNumber(message.offset, 8, out);
  return out;
}

template <typename Message>
bool DecodeHead(std::string_view& in, typename Message::Kind last, Message& message) {
  message.snapshot = TakeNumber(in, 8);
  const std::uint64_t kind = TakeNumber(in, 1);
  message.kind = static_cast<typename Message::Kind>(kind);
  message.file = static_cast<std::uint32_t>(TakeNumber(in, 4));
  message.offset = TakeNumber(in, 8);
  return kind > 0 && kind <= static_cast<std::uint64_t>(last);
}

}  // namespace

std::string SnapshotAsk::Encode() const {
  std::string out = EncodeHead(*this, 4);
  PutNumber(bytes, 4, out);
  return out;
}

std::optional<SnapshotAsk> SnapshotAsk::Decode(std::string_view message) {
  SnapshotAsk ask;
  if (message.size() != kAskBytes || !DecodeHead(message, Kind::kRefused, ask)) return std::nullopt;
  ask.bytes = static_cast<std::uint32_t>(TakeNumber(message, 4));
  return ask;
}

std::string SnapshotAnswer::Encode() const {
  std::string out = EncodeHead(*this, bytes.size());
  out += bytes;
  return out;
}

std::optional<SnapshotAnswer> SnapshotAnswer::Decode(std::string_view message) {
  SnapshotAnswer answer;
  if (message.size() < kHeadBytes || !DecodeHead(message, Kind::kGone, answer)) return std::nullopt;
  answer.bytes = message;
  return answer;
}

std::string SnapshotNotice::Encode() const {
  std::string out;
  PutNumber(snapshot, 8, out);
  PutNumber(static_cast<std::uint64_t>(kind), 1, out);
  PutNumber(place.index, 8, out);
  PutNumber(place.term, 8, out);
  return out;
}

std::optional<SnapshotNotice> SnapshotNotice::Decode(std::string_view message) {
  if (message.size() != kNoticeBytes) return std::nullopt;
  SnapshotNotice notice;
  notice.snapshot = TakeNumber(message, 8);
  const std::uint64_t kind = TakeNumber(message, 1);
  notice.kind = static_cast<Kind>(kind);
  notice.place.index = TakeNumber(message, 8);
  notice.place.term = TakeNumber(message, 8);
  if (kind == 0 || kind > static_cast<std::uint64_t>(Kind::kReady)) return std::nullopt;
  return notice;
}

}  // namespace wharf
