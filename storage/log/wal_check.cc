#include "storage/log/wal_check.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/crc.hpp>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::size_t kBlockSize = 32 * 1024;
constexpr std::size_t kHeaderSize = 7;
constexpr std::size_t kTypeAt = 6;

enum RecordType : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t MaskedCrc(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t sum = crc.checksum();
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8u;
}

std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<std::uint8_t>(bytes[i - 1]);
  }
  return number;
}

struct Record {
  RecordType type;
  std::size_t size;  // With its header.

  bool begins() const { return type == kFull || type == kFirst; }
  bool ends() const { return type == kFull || type == kLast; }
};

std::string_view PayloadOf(std::string_view bytes, const Record& record) {
  return bytes.substr(kHeaderSize, record.size - kHeaderSize);
}

// The record at the start of `bytes`, if there is a whole one.
std::optional<Record> ReadRecord(std::string_view bytes) {
  if (bytes.size() < kHeaderSize) return std::nullopt;
  const auto type = static_cast<std::uint8_t>(bytes[kTypeAt]);
  const std::size_t size = kHeaderSize + LittleEndian(bytes.substr(4, 2));
  if (type < kFull || type > kLast || size > bytes.size()) return std::nullopt;
  const std::string_view checked = bytes.substr(kTypeAt, size - kTypeAt);
  if (MaskedCrc(checked) != LittleEndian(bytes.substr(0, 4))) return std::nullopt;
  return Record{static_cast<RecordType>(type), size};
}

// Reads one log, block by block, up to the first place that cannot be read; then, if there is a
// mark to look for, goes on to see whether a group begins behind it.
class LogScan {
 public:
  // The groups of earlier logs end with this sequence number.
  LogScan(const GroupMark* mark, std::uint64_t last_sequence)
      : mark_(mark), last_sequence_(last_sequence) {}

  void AddBlock(std::string_view block) {
    if (!bad_.has_value()) {
      ReadBlock(block);
    } else {
      SearchFromStart(block);
    }
    offset_ += block.size();
  }

  void Finish() {
    if (!bad_.has_value() && group_.has_value()) bad_ = group_;
  }

  // Where the first logical record starts that cannot be read.
  std::optional<std::uint64_t> bad() const { return bad_; }
  // Whether a later group begins behind it.
  bool begins_behind() const { return begins_behind_; }
  std::uint64_t size() const { return offset_; }
  // Of the last group that can be read.
  std::uint64_t last_sequence() const { return last_sequence_; }

 private:
  void ReadBlock(std::string_view block) {
    std::size_t at = 0;
    while (!IsTrailer(block, at)) {
      const auto record = ReadRecord(block.substr(at));
      if (!record.has_value() || !Follows(*record)) {
        bad_ = group_.value_or(offset_ + at);
        return Search(block.substr(record.has_value() ? at : at + 1));
      }
      if (record->begins()) start_.clear();
      if (record->type == kFirst) group_ = offset_ + at;
      start_ +=
          PayloadOf(block.substr(at), *record)
              .substr(0, GroupMark::kHeadBytes - std::min(start_.size(), GroupMark::kHeadBytes));
      if (record->ends()) NoteGroup();
      at += record->size;
    }
  }

  void NoteGroup() {
    group_.reset();
    last_sequence_ = std::max(last_sequence_, GroupMark::SequenceOf(start_));
  }

  // A whole block may end with less than a header. A short one is the last, and must end with a
  // record.
  static bool IsTrailer(std::string_view block, std::size_t at) {
    const std::size_t left = block.size() - at;
    return left == 0 || (left < kHeaderSize && block.size() == kBlockSize);
  }

  bool Follows(const Record& record) const { return record.begins() != group_.has_value(); }

  // Skips what is well formed: a large torn group has many whole blocks of fragments.
  void SearchFromStart(std::string_view block) {
    if (mark_ == nullptr || begins_behind_) return;
    GoOnWithStarts(block);
    while (block.size() >= kHeaderSize) {
      const auto record = ReadRecord(block);
      if (!record.has_value()) return Search(block);
      LookAt(block, *record);
      block.remove_prefix(record->size);
    }
  }

  // Up to the end of the block. Trusts no length: the bad record's own may be what is bad.
  void Search(std::string_view bytes) {
    if (mark_ == nullptr) return;
    constexpr std::size_t kBefore = kHeaderSize + GroupMark::kHeadBytes;
    for (std::size_t at = bytes.find(mark_->bytes()); at != std::string_view::npos;
         at = bytes.find(mark_->bytes(), at + 1)) {
      if (at >= kBefore) LookAt(bytes.substr(at - kBefore));
    }
    // A group that has not even its mark in this block.
    const std::size_t end = std::min(bytes.size(), kHeaderSize + mark_->start_bytes() - 1);
    for (std::size_t left = end; left >= kHeaderSize; --left) {
      LookAt(bytes.substr(bytes.size() - left));
    }
  }

  void LookAt(std::string_view bytes) {
    if (const auto record = ReadRecord(bytes)) LookAt(bytes, *record);
  }
  void LookAt(std::string_view bytes, const Record& record) {
    if (!record.begins()) return;
    const std::string_view payload = PayloadOf(bytes, record);
    if (IsLater(payload)) begins_behind_ = true;
    const bool goes_on = record.type == kFirst && record.size == bytes.size();
    if (goes_on && payload.size() < mark_->start_bytes()) starts_.emplace_back(payload);
  }

  // With what the next block has of the groups that the last one ended with.
  void GoOnWithStarts(std::string_view block) {
    const std::vector<std::string> starts = std::exchange(starts_, {});
    const auto record = ReadRecord(block);
    if (!record.has_value() || record->begins()) return;
    const std::string_view rest = PayloadOf(block, *record).substr(0, mark_->start_bytes());
    for (const std::string& start : starts) {
      if (IsLater(start + std::string(rest))) begins_behind_ = true;
    }
  }

  // A group of this store, and no copy of one that was read before.
  bool IsLater(std::string_view start) const {
    return mark_->IsIn(start) && GroupMark::SequenceOf(start) > last_sequence_;
  }

  const GroupMark* const mark_;
  std::uint64_t last_sequence_;
  std::uint64_t offset_ = 0;            // Of the block.
  std::optional<std::uint64_t> group_;  // Where the logical record started that is not yet whole.
  std::string start_;                   // Of the last one, as much as tells its number.
  std::optional<std::uint64_t> bad_;
  // Behind it: what begins at the end of the block before.
  std::vector<std::string> starts_;
  bool begins_behind_ = false;
};

Result<LogScan> ScanLog(rocksdb::FileSystem& file_system, const std::string& path,
                        const GroupMark* mark, std::uint64_t last_sequence) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status =
      file_system.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  LogScan scan(mark, last_sequence);
  std::vector<char> space(kBlockSize);
  while (status.ok()) {
    rocksdb::Slice block;
    status = file->Read(kBlockSize, rocksdb::IOOptions(), &block, space.data(), nullptr);
    if (!status.ok() || block.empty()) break;
    scan.AddBlock({block.data(), block.size()});
  }
  if (!status.ok()) return FromRocksOpen(status, "cannot read " + path);
  scan.Finish();
  return scan;
}

// The number of a log, from its name.
std::optional<std::uint64_t> LogNumber(std::string_view name) {
  constexpr std::string_view kSuffix = ".log";
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// Paths by number, which is the order in which they were written.
Result<std::map<std::uint64_t, std::string>> FindLogs(rocksdb::FileSystem& file_system,
                                                      const std::string& folder,
                                                      std::uint64_t first_log) {
  std::vector<std::string> names;
  const rocksdb::IOStatus status =
      file_system.GetChildren(folder, rocksdb::IOOptions(), &names, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot list " + folder);
  std::map<std::uint64_t, std::string> logs;
  for (const std::string& name : names) {
    const auto number = LogNumber(name);
    if (number.has_value() && *number >= first_log) logs[*number] = folder + "/" + name;
  }
  return logs;
}

// What is known when one more log has been read.
WalReport::Verdict Judge(WalReport::Verdict before, const LogScan& scan) {
  using Verdict = WalReport::Verdict;
  // A later log was begun, so the earlier one had been synced to its end.
  if (before == Verdict::kTornTail && scan.size() > 0) return Verdict::kCorrupt;
  if (before != Verdict::kClean || !scan.bad().has_value()) return before;
  return scan.begins_behind() ? Verdict::kCorrupt : Verdict::kTornTail;
}

std::optional<LogDamage> DamageOf(const std::string& path, const LogScan& scan) {
  if (!scan.bad().has_value()) return std::nullopt;
  return LogDamage{path, *scan.bad(), scan.size() - *scan.bad()};
}

}  // namespace

Result<WalReport> CheckWal(rocksdb::FileSystem& file_system, const std::string& folder,
                           std::uint64_t first_log, const GroupMark& mark) {
  const auto logs = FindLogs(file_system, folder, first_log);
  if (!logs.ok()) return logs.status();
  WalReport report;
  std::uint64_t last_sequence = 0;
  for (const auto& [number, path] : *logs) {
    const auto scan = ScanLog(file_system, path, &mark, last_sequence);
    if (!scan.ok()) return scan.status();
    last_sequence = scan->last_sequence();
    // The first place that cannot be read is the one to tell of.
    if (report.verdict == WalReport::Verdict::kClean) {
      report.damage = DamageOf(path, *scan).value_or(LogDamage());
    }
    report.verdict = Judge(report.verdict, *scan);
  }
  return report;
}

Result<std::optional<LogDamage>> CheckLogFile(rocksdb::FileSystem& file_system,
                                              const std::string& path) {
  const auto scan = ScanLog(file_system, path, nullptr, 0);
  if (!scan.ok()) return scan.status();
  return DamageOf(path, *scan);
}

Status CutTornTail(rocksdb::FileSystem& file_system, const std::string& folder,
                   const LogDamage& torn) {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status =
      file_system.ReopenWritableFile(torn.file, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Truncate(torn.offset, options, nullptr);
  if (status.ok()) status = file->Fsync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  if (status.ok()) status = file_system.NewDirectory(folder, options, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(options, nullptr);
  return FromRocks(status, "cannot cut the torn end off " + torn.file);
}

}  // namespace wharf
