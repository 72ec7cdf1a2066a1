// FileCopy: a file of a backup is copied, or read, from its beginning to its end, with its
// checksum, at a pace.
//
// Plain functions; they take as long as that does.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "storage/backup/backup_manifest.h"
#include "storage/backup/copy_pace.h"
#include "storage/base/status.h"
#include "storage/sealed/sealed_stream.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

// What reads and writes files of backups.
struct BackupFiles {
  rocksdb::FileSystem& file_system;
  CopyPace& pace;
  // Hears of bytes that were copied or read; of 0, where that goes on without progress. Empty:
  // nobody does.
  std::function<void(std::uint64_t)> on_bytes{};
};

// Refuses what is there and no regular file: to open a pipe is to wait for whoever writes to it.
Status CheckRegularFile(const std::string& path);

// Makes the file, which must not be there, and has it on the disk; its folder is not synced. What
// was copied.
Result<BackupFile> CopyBackupFile(const BackupFiles& files, const std::string& from_folder,
                                  const std::string& to_folder, const std::string& name);
// The same under another name, of what the filter makes of it; both are told. `check` sees what was
// read when all of it was, before the filter ends.
struct FilteredCopy {
  BackupFile read{};
  BackupFile written{};
};
Result<FilteredCopy> CopyFiltered(const BackupFiles& files, const std::string& from,
                                  const std::string& to, ByteFilter& filter,
                                  const std::function<Status(const BackupFile&)>& check);
// Makes the file with these bytes, as a copy is made. What was written.
Result<BackupFile> WriteBackupFile(const BackupFiles& files, const std::string& folder,
                                   const std::string& name, std::string_view bytes);
// What stands in it.
Result<BackupFile> ReadBackupFile(const BackupFiles& files, const std::string& folder,
                                  const std::string& name);
// Damage, if it is not what the manifest says.
Status CheckBackupFile(const BackupFile& found, const BackupFile& expected,
                       const std::string& folder);

}  // namespace wharf
