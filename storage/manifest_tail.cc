#include "storage/manifest_tail.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>

#include "storage/rocks_status.h"
#include "storage/wal_check.h"

namespace wharf {
namespace {

// What a kernel writes at least.
constexpr std::uint64_t kPage = 4096;

// Holds the folder's lock, so that nobody writes the MANIFEST meanwhile.
class FolderLock {
 public:
  FolderLock(rocksdb::FileSystem& file_system, const std::string& folder)
      : file_system_(file_system),
        status_(file_system.LockFile(folder + "/LOCK", rocksdb::IOOptions(), &lock_, nullptr)) {}
  ~FolderLock() {
    if (lock_ == nullptr) return;
    file_system_.UnlockFile(lock_, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  const rocksdb::IOStatus& status() const { return status_; }

 private:
  rocksdb::FileSystem& file_system_;
  rocksdb::FileLock* lock_ = nullptr;
  const rocksdb::IOStatus status_;
};

Result<std::string> Read(rocksdb::FileSystem& file_system, const std::string& path) {
  std::string bytes;
  const rocksdb::Status status = rocksdb::ReadFileToString(&file_system, path, &bytes);
  if (!status.ok()) return FromRocks(status, "cannot read " + path);
  return bytes;
}

bool IsAllZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

// Whether a page, as far as it is behind `from`, was never written. A synced page always was, so
// this one is behind the last sync, as is all that follows it. Of a record that begins or ends near
// a page's edge there may be but a byte in that page, and zero may be its value: then damage of the
// same record looks like a torn end. It takes all three, the last record, that place and that
// value; a power cut that leaves such a record is far more common.
bool HasUnwrittenPage(std::string_view bytes, std::uint64_t from) {
  for (std::uint64_t page = from / kPage * kPage; page < bytes.size(); page += kPage) {
    const std::uint64_t begin = std::max(page, from);
    const std::uint64_t end = std::min<std::uint64_t>(page + kPage, bytes.size());
    if (IsAllZero(bytes.substr(begin, end - begin))) return true;
  }
  return false;
}

Status Damaged(const WalReport& report) {
  return {ErrorCode::kGeneralError, report.file + " is damaged at byte " +
                                        std::to_string(report.offset) +
                                        ", and not as a power cut does it; restore the folder from "
                                        "a backup"};
}

}  // namespace

Result<bool> CutTornManifest(rocksdb::FileSystem& file_system, const std::string& folder) {
  const FolderLock lock(file_system, folder);
  if (!lock.status().ok()) return FromRocks(lock.status(), "cannot lock " + folder);
  Result<std::string> current = Read(file_system, folder + "/CURRENT");
  if (!current.ok()) return current.status();
  const std::string path = folder + "/" + current->substr(0, current->find('\n'));
  const Result<WalReport> report = CheckLogFile(file_system, path);
  if (!report.ok()) return report.status();
  if (report->verdict == WalReport::Verdict::kClean) return false;
  const Result<std::string> bytes = Read(file_system, path);
  if (!bytes.ok()) return bytes.status();
  const bool is_torn =
      report->verdict == WalReport::Verdict::kTornTail && HasUnwrittenPage(*bytes, report->offset);
  if (!is_torn) return Damaged(*report);
  WHARF_RETURN_IF_ERROR(CutTornTail(file_system, folder, *report));
  spdlog::warn("the last write of {} before the stop was torn: dropped {} bytes from byte {} on",
               path, report->bytes_behind, report->offset);
  return true;
}

}  // namespace wharf
