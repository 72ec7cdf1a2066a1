#include "storage/segments/segment_format.h"

#include <cassert>

#include "storage/base/crc32c.h"

namespace wharf {
namespace {

constexpr std::string_view kMagic = "wharflog";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadVersionAt = 8;
constexpr std::size_t kHeadCrcAt = 12;
constexpr std::size_t kRecordCrcAt = 8;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kAlignment = 8;

template <typename Number>
void AppendNumber(Number number, std::string& bytes) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>(number >> (8 * i));
}

// Takes numbers and texts off the front of bytes that are long enough.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  template <typename Number>
  Number Take() {
    std::uint64_t number = 0;
    const std::string_view bytes = TakeBytes(sizeof(Number));
    for (std::size_t i = bytes.size(); i > 0; --i) {
      number = number << 8 | static_cast<std::uint8_t>(bytes[i - 1]);
    }
    return static_cast<Number>(number);
  }
  std::string_view TakeBytes(std::size_t count) {
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  HardState TakeState() {
    HardState state;
    state.term = Take<std::uint64_t>();
    state.vote = Take<std::uint64_t>();
    state.commit = Take<std::uint64_t>();
    return state;
  }

 private:
  std::string_view bytes_;
};

// Of all but the checksum itself.
std::uint32_t CrcAround(std::string_view bytes, std::size_t at) {
  return Crc32c(bytes.substr(at + kCrcBytes), Crc32c(bytes.substr(0, at)));
}

void PutCrc(std::string& bytes, std::size_t begin, std::size_t at) {
  std::string crc;
  AppendNumber(CrcAround(std::string_view(bytes).substr(begin), at), crc);
  bytes.replace(begin + at, kCrcBytes, crc);
}

bool HasCrc(std::string_view bytes, std::size_t at) {
  return Cursor(bytes.substr(at)).Take<std::uint32_t>() == CrcAround(bytes, at);
}

}  // namespace

std::string SegmentHead::Encode() const {
  assert(owner.cluster.size() == LogOwner::kClusterBytes);
  std::string bytes(kMagic);
  AppendNumber(kVersion, bytes);
  bytes.append(kCrcBytes, '\0');
  for (const std::uint64_t field : {salt, number, bytes_before, std::uint64_t{begins}}) {
    AppendNumber(field, bytes);
  }
  bytes += owner.cluster;
  for (const std::uint64_t field :
       {owner.node, last.index, last.term, state.term, state.vote, state.commit}) {
    AppendNumber(field, bytes);
  }
  PutCrc(bytes, 0, kHeadCrcAt);
  assert(bytes.size() == kBytes);
  return bytes;
}

Result<SegmentHead> SegmentHead::Decode(std::string_view bytes) {
  if (bytes.size() < kBytes || !bytes.starts_with(kMagic)) {
    return Status(ErrorCode::kGeneralError, "is not one of a log of Wharf");
  }
  if (Cursor(bytes.substr(kHeadVersionAt)).Take<std::uint32_t>() > kVersion) {
    return Status(ErrorCode::kGeneralError, "was written by a newer version");
  }
  if (!HasCrc(bytes.substr(0, kBytes), kHeadCrcAt)) {
    return Status(ErrorCode::kGeneralError, "is damaged at offset 0");
  }
  Cursor cursor(bytes.substr(kHeadCrcAt + kCrcBytes));
  SegmentHead head;
  head.salt = cursor.Take<std::uint64_t>();
  head.number = cursor.Take<std::uint64_t>();
  head.bytes_before = cursor.Take<std::uint64_t>();
  head.begins = cursor.Take<std::uint64_t>() != 0;
  head.owner.cluster = cursor.TakeBytes(LogOwner::kClusterBytes);
  head.owner.node = cursor.Take<std::uint64_t>();
  head.last.index = cursor.Take<std::uint64_t>();
  head.last.term = cursor.Take<std::uint64_t>();
  head.state = cursor.TakeState();
  return head;
}

SegmentRecord SegmentRecord::OfState(const HardState& state) {
  return {.kind = RecordKind::kState, .numbers = {state.term, state.vote, state.commit}};
}

SegmentRecord SegmentRecord::OfEntry(const LogEntry& entry, std::uint64_t term_before) {
  return {.kind = RecordKind::kEntry,
          .entry_kind = entry.kind,
          .numbers = {entry.index, entry.term, term_before},
          .data = entry.data};
}

std::size_t SegmentRecord::BytesFor(std::size_t data_bytes) {
  return kHeadBytes + (data_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void SegmentRecord::AppendTo(std::string& bytes, std::uint64_t mark) const {
  const std::size_t begin = bytes.size();
  AppendNumber(mark, bytes);
  bytes.append(kCrcBytes, '\0');
  AppendNumber(static_cast<std::uint32_t>(data.size()), bytes);
  AppendNumber(synced, bytes);
  bytes += static_cast<char>(kind);
  bytes += static_cast<char>(entry_kind);
  bytes.append(2, '\0');
  for (const std::uint64_t number : numbers) AppendNumber(number, bytes);
  bytes += data;
  bytes.resize(begin + this->bytes(), '\0');
  PutCrc(bytes, begin, kRecordCrcAt);
}

std::optional<std::size_t> SegmentRecord::BytesOf(std::string_view head, std::uint64_t mark) {
  if (head.size() < kHeadBytes || !HasMark(head, mark)) return std::nullopt;
  const auto length = Cursor(head.substr(kLengthAt)).Take<std::uint32_t>();
  if (length > kDataBytesMax) return std::nullopt;
  return BytesFor(length);
}

std::optional<SegmentRecord> SegmentRecord::Decode(std::string_view bytes) {
  if (!HasCrc(bytes, kRecordCrcAt)) return std::nullopt;
  Cursor cursor(bytes.substr(kLengthAt));
  SegmentRecord record;
  const auto length = cursor.Take<std::uint32_t>();
  record.synced = cursor.Take<std::uint32_t>();
  record.kind = static_cast<RecordKind>(cursor.Take<std::uint8_t>());
  record.entry_kind = static_cast<EntryKind>(cursor.Take<std::uint8_t>());
  cursor.TakeBytes(2);
  for (std::uint64_t& number : record.numbers) number = cursor.Take<std::uint64_t>();
  record.data = cursor.TakeBytes(length);
  return record;
}

bool HasMark(std::string_view bytes, std::uint64_t mark) {
  return bytes.size() >= sizeof(mark) && Cursor(bytes).Take<std::uint64_t>() == mark;
}

}  // namespace wharf
