#include "storage/wal_check.h"

#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <boost/crc.hpp>
#include <rocksdb/file_system.h>

#include "storage/rocks_status.h"

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
};

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

// Reads one log, block by block, up to the first place that cannot be read; then goes on to see
// whether anything begins behind it.
class LogScan {
 public:
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
  // Whether a readable record begins behind it.
  bool begins_behind() const { return begins_behind_; }
  std::uint64_t size() const { return offset_; }

 private:
  void ReadBlock(std::string_view block) {
    std::size_t at = 0;
    while (!IsTrailer(block, at)) {
      const auto record = ReadRecord(block.substr(at));
      if (!record.has_value() || !Follows(*record)) {
        bad_ = group_.value_or(offset_ + at);
        SearchEverywhere(block.substr(record.has_value() ? at : at + 1));
        return;
      }
      if (record->type == kFirst) group_ = offset_ + at;
      if (record->type == kLast) group_.reset();
      at += record->size;
    }
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
    while (!begins_behind_ && block.size() >= kHeaderSize) {
      const auto record = ReadRecord(block);
      if (!record.has_value()) return SearchEverywhere(block);
      begins_behind_ = record->begins();
      block.remove_prefix(record->size);
    }
  }

  // Trusts no length: the bad record's own may be what is bad.
  void SearchEverywhere(std::string_view bytes) {
    while (!begins_behind_ && bytes.size() >= kHeaderSize) {
      const auto type = static_cast<std::uint8_t>(bytes[kTypeAt]);
      begins_behind_ = (type == kFull || type == kFirst) && ReadRecord(bytes).has_value();
      bytes.remove_prefix(1);
    }
  }

  std::uint64_t offset_ = 0;            // Of the block.
  std::optional<std::uint64_t> group_;  // Where the logical record started that is not yet whole.
  std::optional<std::uint64_t> bad_;
  bool begins_behind_ = false;
};

Result<LogScan> ScanLog(rocksdb::FileSystem& file_system, const std::string& path) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status =
      file_system.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  LogScan scan;
  std::vector<char> space(kBlockSize);
  while (status.ok()) {
    rocksdb::Slice block;
    status = file->Read(kBlockSize, rocksdb::IOOptions(), &block, space.data(), nullptr);
    if (!status.ok() || block.empty()) break;
    scan.AddBlock({block.data(), block.size()});
  }
  if (!status.ok()) return FromRocks(status, "cannot read " + path);
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

// The first place that cannot be read is the one to tell of.
void Add(WalReport& report, const std::string& path, const LogScan& scan) {
  if (report.verdict == WalReport::Verdict::kClean && scan.bad().has_value()) {
    report.file = path;
    report.offset = *scan.bad();
    report.bytes_behind = scan.size() - *scan.bad();
  }
  report.verdict = Judge(report.verdict, scan);
}

}  // namespace

Result<WalReport> CheckWal(rocksdb::FileSystem& file_system, const std::string& folder,
                           std::uint64_t first_log) {
  const auto logs = FindLogs(file_system, folder, first_log);
  if (!logs.ok()) return logs.status();
  WalReport report;
  for (const auto& [number, path] : *logs) {
    const auto scan = ScanLog(file_system, path);
    if (!scan.ok()) return scan.status();
    Add(report, path, *scan);
  }
  return report;
}

Result<WalReport> CheckLogFile(rocksdb::FileSystem& file_system, const std::string& path) {
  const auto scan = ScanLog(file_system, path);
  if (!scan.ok()) return scan.status();
  WalReport report;
  Add(report, path, *scan);
  return report;
}

Status CutTornTail(rocksdb::FileSystem& file_system, const std::string& folder,
                   const WalReport& report) {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status =
      file_system.ReopenWritableFile(report.file, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Truncate(report.offset, options, nullptr);
  if (status.ok()) status = file->Fsync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  if (status.ok()) status = file_system.NewDirectory(folder, options, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(options, nullptr);
  return FromRocks(status, "cannot cut the torn end off " + report.file);
}

}  // namespace wharf
