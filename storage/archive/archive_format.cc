#include "storage/archive/archive_format.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/core.h>

#include "storage/base/crc32c.h"
#include "storage/batch_times.h"
#include "storage/sealed/block_cipher.h"

namespace wharf {
namespace {

constexpr std::string_view kArchiveMagic = "WHARFARC";
constexpr std::uint32_t kArchiveVersion = 1;
constexpr std::uint32_t kEncryptedArchiveVersion = 2;
constexpr std::size_t kPublicKeyBytes = 32;
constexpr std::size_t kArchivedHeadBytes = 16;
constexpr std::size_t kArchiveDigits = 20;
constexpr std::string_view kArchiveEnding = ".batches";

template <typename Number>
void AppendBig(Number number, std::string& bytes) {
  for (int shift = 8 * (sizeof(Number) - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(number >> shift));
  }
}

void AppendTime(Timestamp time, std::string& bytes) {
  AppendBig(static_cast<std::uint64_t>(time.time_since_epoch().count()), bytes);
}

// Takes it off the front; there are enough bytes.
template <typename Number>
Number CutNumber(std::string_view& bytes) {
  Number number = 0;
  for (const char byte : bytes.substr(0, sizeof(Number))) {
    number = static_cast<Number>(number << 8 | static_cast<std::uint8_t>(byte));
  }
  bytes.remove_prefix(sizeof(Number));
  return number;
}

Timestamp CutTime(std::string_view& bytes) {
  return Timestamp(Duration(static_cast<std::int64_t>(CutNumber<std::uint64_t>(bytes))));
}

bool HasArchiveCrc(std::string_view checked, std::string_view crc) {
  return CutNumber<std::uint32_t>(crc) == Crc32c(checked);
}

std::optional<std::uint64_t> ParseArchiveNumber(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  return rest == end && error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string ArchiveHead::Encode() const {
  std::string bytes(kArchiveMagic);
  AppendBig(is_encrypted ? kEncryptedArchiveVersion : kArchiveVersion, bytes);
  AppendBig(run, bytes);
  AppendBig(first.value(), bytes);
  AppendBig(Crc32c(bytes), bytes);
  return bytes;
}

std::optional<ArchiveHead> ArchiveHead::Decode(std::string_view bytes) {
  if (bytes.size() != kBytes || !bytes.starts_with(kArchiveMagic)) return std::nullopt;
  constexpr std::size_t kChecked = kBytes - sizeof(std::uint32_t);
  if (!HasArchiveCrc(bytes.substr(0, kChecked), bytes.substr(kChecked))) return std::nullopt;
  bytes.remove_prefix(kArchiveMagic.size());
  const auto version = CutNumber<std::uint32_t>(bytes);
  if (version != kArchiveVersion && version != kEncryptedArchiveVersion) return std::nullopt;
  ArchiveHead head;
  head.is_encrypted = version == kEncryptedArchiveVersion;
  head.run = CutNumber<std::uint64_t>(bytes);
  head.first = CommitIndex(CutNumber<std::uint64_t>(bytes));
  return head;
}

std::string ArchiveKey::Encode() const {
  std::string bytes = absl::HexStringToBytes(encrypted_to);
  AppendBig(static_cast<std::uint32_t>(wrapped.size()), bytes);
  bytes += wrapped;
  AppendBig(Crc32c(bytes), bytes);
  return bytes;
}

std::optional<std::size_t> ArchiveKey::LengthBehind(std::string_view fixed) {
  if (fixed.size() != kFixedBytes) return std::nullopt;
  fixed.remove_prefix(kPublicKeyBytes);
  const std::size_t length = CutNumber<std::uint32_t>(fixed);
  if (length > BlockCipher::kWrappedBytesMax) return std::nullopt;
  return length + kCrcBytes;
}

std::optional<ArchiveKey> ArchiveKey::Decode(std::string_view bytes) {
  if (bytes.size() < kFixedBytes + kCrcBytes) return std::nullopt;
  const std::size_t checked = bytes.size() - kCrcBytes;
  if (!HasArchiveCrc(bytes.substr(0, checked), bytes.substr(checked))) return std::nullopt;
  return ArchiveKey{absl::BytesToHexString(std::string(bytes.substr(0, kPublicKeyBytes))),
                    std::string(bytes.substr(kFixedBytes, checked - kFixedBytes))};
}

std::string ArchiveBlockHead::Encode(std::string_view data) const {
  const std::string checked = Checked(data.size());
  std::string bytes;
  AppendBig(Crc32c(data, Crc32c(checked)), bytes);
  return bytes + checked;
}

std::string ArchiveBlockHead::Checked(std::size_t data_length) const {
  std::string checked;
  AppendBig(static_cast<std::uint32_t>(data_length), checked);
  AppendBig(run, checked);
  AppendBig(first.value(), checked);
  AppendBig(last.value(), checked);
  AppendTime(first_time, checked);
  AppendTime(last_time, checked);
  return checked;
}

std::optional<ArchiveBlockHead> ArchiveBlockHead::Decode(std::string_view bytes) {
  if (bytes.size() != kBytes) return std::nullopt;
  ArchiveBlockHead head;
  head.crc = CutNumber<std::uint32_t>(bytes);
  head.length = CutNumber<std::uint32_t>(bytes);
  head.run = CutNumber<std::uint64_t>(bytes);
  head.first = CommitIndex(CutNumber<std::uint64_t>(bytes));
  head.last = CommitIndex(CutNumber<std::uint64_t>(bytes));
  head.first_time = CutTime(bytes);
  head.last_time = CutTime(bytes);
  const bool is_block = head.length > 0 && head.length <= kDataBytesMax && head.first <= head.last;
  return is_block ? std::optional(head) : std::nullopt;
}

bool ArchiveBlockHead::Fits(std::string_view data) const {
  std::string_view encoded;
  const std::string again = Encode(data);
  encoded = again;
  return data.size() == length && CutNumber<std::uint32_t>(encoded) == crc;
}

void ArchivedBatches::AppendTo(std::string& data) const {
  AppendBig(batches, data);
  AppendTime(time, data);
  AppendBig(static_cast<std::uint32_t>(bytes.size()), data);
  data.append(bytes);
}

Result<std::vector<ArchivedBatches>> RecordsOf(const ArchiveBlockHead& head,
                                               std::string_view data) {
  const Status damaged = Status::Damage("a block of the archive is not what was written");
  std::vector<ArchivedBatches> records;
  std::uint64_t before = head.first.value() - 1;
  while (!data.empty()) {
    if (data.size() < kArchivedHeadBytes) return damaged;
    ArchivedBatches record;
    record.batches = CutNumber<std::uint32_t>(data);
    record.time = CutTime(data);
    const auto length = CutNumber<std::uint32_t>(data);
    if (length > data.size() || record.batches == 0) return damaged;
    record.bytes = data.substr(0, length);
    data.remove_prefix(length);
    before += record.batches;
    record.last = CommitIndex(before);
    records.push_back(record);
  }
  if (before != head.last.value()) return damaged;
  return records;
}

std::vector<ArchivedBatches> SplitBatches(CommitIndex last, std::uint32_t batches,
                                          std::string_view bytes, Timestamp time_before) {
  const std::vector<BatchTime> notes = TimesIn(bytes);
  const bool can_split = notes.size() == batches && notes.back().end == bytes.size();
  if (!can_split) {
    return {{last, batches, notes.empty() ? time_before : notes.back().time, bytes}};
  }
  std::vector<ArchivedBatches> split;
  std::size_t begin = 0;
  for (const BatchTime& note : notes) {
    const CommitIndex index(last.value() - batches + 1 + split.size());
    split.push_back({index, 1, note.time, bytes.substr(begin, note.end - begin)});
    begin = note.end;
  }
  return split;
}

std::string ArchiveFileName::ToText() const {
  return fmt::format("{:020}-{:020}{}", run, first.value(), kArchiveEnding);
}

std::optional<ArchiveFileName> ArchiveFileName::Parse(std::string_view name) {
  if (name.size() != 2 * kArchiveDigits + 1 + kArchiveEnding.size() ||
      !name.ends_with(kArchiveEnding) || name[kArchiveDigits] != '-') {
    return std::nullopt;
  }
  const auto run = ParseArchiveNumber(name.substr(0, kArchiveDigits));
  const auto first = ParseArchiveNumber(name.substr(kArchiveDigits + 1, kArchiveDigits));
  if (!run || !first) return std::nullopt;
  return ArchiveFileName{*run, CommitIndex(*first)};
}

}  // namespace wharf
