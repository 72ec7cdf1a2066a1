#include "storage/rocks/rocks_status.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace wharf {
namespace {

// RocksDB has no code for it, and ends its text with that of the system.
bool IsOverQuota(const rocksdb::Status& status) {
  const std::string cause = std::generic_category().message(EDQUOT);
  return status.IsIOError() && status.ToString().find(cause) != std::string::npos;
}

std::string_view Explain(const rocksdb::Status& status) {
  if (status.IsCorruption()) return "its data is damaged; restore it from a backup";
  if (status.IsNoSpace()) return "the disk is full";
  if (IsOverQuota(status)) return "the disk's quota is used up";
  if (status.IsIOError()) return "the disk or the file system reports an error";
  return "the store refuses";
}

}  // namespace

Status FromRocks(const rocksdb::Status& status, std::string_view doing) {
  if (status.ok()) return Status::Ok();
  return {ErrorCode::kGeneralError, std::string(doing) + ": " + std::string(Explain(status)) +
                                        " (" + status.ToString() + ")"};
}

// An error of the disk may pass, and what is damage to a reader may be given up for good.
Status FromRocksRead(const rocksdb::Status& status, std::string_view doing) {
  if (status.ok()) return Status::Ok();
  const Status failed = FromRocks(status, doing);
  return status.IsCorruption() ? Status::Damage(failed.message()) : failed;
}

Status FromRocksOpen(const rocksdb::Status& status, std::string_view doing) {
  if (!status.IsPathNotFound()) return FromRocksRead(status, doing);
  return Status::Damage(FromRocks(status, doing).message());
}

// RocksDB has no code of its own for this: the first text is for a lock in this process, the second
// for one in another.
bool IsLockHeld(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  return text.find("lock hold by current process") != std::string::npos ||
         text.find("While lock file") != std::string::npos;
}

}  // namespace wharf
