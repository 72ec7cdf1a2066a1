// BackupFolder: the folder below which backups lie, and what a crash may leave there.
//
//   FOLDER/LABEL/              a backup: all files of a state, and its MANIFEST
//   FOLDER/.unfinished/        one that is being made; without its name it is none
//   FOLDER/.removed/           one that goes; it was one up to its change of name
//   FOLDER/BACKUPS.LOCK        locked while somebody makes or removes one
//
// A backup is there when its folder gets its name, durably, when all that is in it is on the disk;
// it is gone when it has lost it. What has another name is cleaned up by whoever works there next;
// what cannot be (somebody put a folder into it) stays, and the next one takes .unfinished-2.
// A file that two backups share is one file with two names: a backup can be removed, or copied
// away, without a look at the others. Folders that have no MANIFEST are somebody else's, and let
// be; so is what a link leads to, and a folder in a backup, which then is not removed. Used by one
// thread for work; others may list and read meanwhile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/backup/backup_manifest.h"
#include "storage/base/status.h"

namespace rocksdb {
class FileLock;
class FileSystem;
}  // namespace rocksdb

namespace wharf {

class BackupFolder {
 public:
  // Null: the real file system.
  BackupFolder(std::shared_ptr<rocksdb::FileSystem> file_system, std::string path);

  struct Found {
    std::string label;
    // Without the list of its files; or why it cannot be read, or removed.
    Result<BackupManifest> manifest;
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };
  // Those that are whole, the oldest first, behind those that cannot be read, or are a link to one,
  // or have a folder in them. No folder: none.
  Result<std::vector<Found>> List() const;
  // Labels of those of the broker of `head`, the oldest first, but for the newest `keep` of them.
  Result<std::vector<std::string>> LabelsBefore(const BackupManifest& head,
                                                std::uint64_t keep) const;
  // It is called as its folder is. MessagingEntityNotFound: there is none.
  Result<BackupManifest> Read(const std::string& label) const;
  std::string PathOf(const std::string& label) const { return path_ + "/" + label; }

  // Nobody else works in the folder as long as it lives.
  class Hold {
   public:
    Hold(rocksdb::FileSystem& file_system, rocksdb::FileLock* lock)
        : file_system_(file_system), lock_(lock) {}
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    rocksdb::FileSystem& file_system_;
    rocksdb::FileLock* const lock_;
  };
  // Makes the folder if it is missing, not its parents, and cleans up; a warning says what stays.
  Result<std::unique_ptr<Hold>> BeginWork() const;

  // --- while it is held

  // MessagingEntityAlreadyExists: the label is taken, by a backup or by something else.
  Status CheckFree(const std::string& label) const;
  // Makes the folder for a new one, and says how it is called.
  Result<std::string> MakeUnfinished() const;
  // What is in it becomes a backup. Refused if there is one of this label.
  Status Keep(const std::string& unfinished, const BackupManifest& manifest) const;
  // That of an unfinished one, or of one that goes.
  Status RemoveFolder(const std::string& name) const;
  // Refused if that would remove more, or something else.
  Status Remove(const std::string& label) const;

  rocksdb::FileSystem& file_system() const { return *file_system_; }

 private:
  Result<std::vector<std::string>> Names(const std::string& folder) const;
  bool Exists(const std::string& path) const;
  std::string FreeNameLike(const std::string& name) const;
  void CleanUp() const;
  Status CheckRemovable(const std::string& label) const;
  Status Rename(const std::string& from, const std::string& to) const;

  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  const std::string path_;
};

// The name of the store in a data folder, drawn when it was made.
Result<std::string> StoreNameIn(const std::string& folder);

// Removes a folder that has no folders in it; one that is missing is as good. Of a link, the link.
// Null: the real file system.
Status RemoveFlatFolder(rocksdb::FileSystem* file_system, const std::string& path);

}  // namespace wharf
