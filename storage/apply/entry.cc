#include "storage/apply/entry.h"

#include "storage/base/crc32c.h"

namespace wharf {
namespace {

constexpr std::uint8_t kEntryVersion = 1;
constexpr std::uint8_t kCheckFlag = 1;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kHeadBytes = kEntryOverhead - kCrcBytes;

template <typename Number>
void PutNumber(Number number, std::string& bytes) {
  for (int shift = 8 * (sizeof(Number) - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(number >> shift));
  }
}

// Takes it off the front; there are enough bytes.
template <typename Number>
Number TakeNumber(std::string_view& bytes) {
  Number number = 0;
  for (const char byte : bytes.substr(0, sizeof(Number))) {
    number = static_cast<Number>(number << 8 | static_cast<std::uint8_t>(byte));
  }
  bytes.remove_prefix(sizeof(Number));
  return number;
}

// A shift by all the bits of a byte is none.
template <>
std::uint8_t TakeNumber<std::uint8_t>(std::string_view& bytes) {
  const auto number = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return number;
}

Status Damaged(const char* what) {
  return Status::Damage(std::string("an entry of the log ") + what);
}

Status Check(const EntryHead& head) {
  if (head.part >= head.parts) return Damaged("is a part that its batch does not have");
  if (head.is_check) {
    return head.batches == 0 && head.parts == 1 ? Status()
                                                : Damaged("is a check, and something else as well");
  }
  if (head.batches == 0 || (head.parts > 1 && head.batches > 1)) {
    return Damaged("has another number of batches than an entry can have");
  }
  return {};
}

EntryHead TakeHead(std::string_view& bytes) {
  EntryHead head;
  head.term = TakeNumber<std::uint64_t>(bytes);
  head.time = Timestamp(Duration(static_cast<std::int64_t>(TakeNumber<std::uint64_t>(bytes))));
  head.part = TakeNumber<std::uint32_t>(bytes);
  head.parts = TakeNumber<std::uint32_t>(bytes);
  head.batches = TakeNumber<std::uint32_t>(bytes);
  return head;
}

}  // namespace

std::string EncodeEntry(const EntryHead& head, std::span<const std::string_view> payload) {
  std::size_t size = kEntryOverhead;
  for (const std::string_view piece : payload) size += piece.size();
  std::string bytes;
  bytes.reserve(size);
  PutNumber(kEntryVersion, bytes);
  PutNumber(head.is_check ? kCheckFlag : std::uint8_t{0}, bytes);
  PutNumber(head.term, bytes);
  PutNumber(static_cast<std::uint64_t>(head.time.time_since_epoch().count()), bytes);
  PutNumber(head.part, bytes);
  PutNumber(head.parts, bytes);
  PutNumber(head.batches, bytes);
  for (const std::string_view piece : payload) bytes.append(piece);
  PutNumber(Crc32c(bytes), bytes);
  return bytes;
}

Result<DecodedEntry> DecodeEntry(std::string_view bytes) {
  if (bytes.size() < kEntryOverhead) return Damaged("is too short");
  std::string_view crc = bytes.substr(bytes.size() - kCrcBytes);
  bytes.remove_suffix(kCrcBytes);
  if (TakeNumber<std::uint32_t>(crc) != Crc32c(bytes)) return Damaged("is not what was written");
  std::string_view head_bytes = bytes.substr(0, kHeadBytes);
  if (TakeNumber<std::uint8_t>(head_bytes) != kEntryVersion) {
    return Damaged("has a format that only a later version reads: upgrade this node");
  }
  const auto flags = TakeNumber<std::uint8_t>(head_bytes);
  if ((flags & ~kCheckFlag) != 0) {
    return Damaged("has a flag that only a later version reads: upgrade this node");
  }
  EntryHead head = TakeHead(head_bytes);
  head.is_check = (flags & kCheckFlag) != 0;
  WHARF_RETURN_IF_ERROR(Check(head));
  return DecodedEntry{head, bytes.substr(kHeadBytes)};
}

}  // namespace wharf
