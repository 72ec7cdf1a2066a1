// BackupWriter: makes a backup of the files of a checkpoint.
//
// A file of a table, or with bodies, never changes: where an earlier backup of the same store has
// it, that one's gets a second name. Of a table its end is read to know it by, a file with bodies
// is read at the pace and known by its checksum; neither is written. What is new is copied, and a
// table's blocks are compared with their checksums, so that damage is not kept as if it were whole.
// Used by one thread, which holds the folder; takes minutes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/backup/backup_folder.h"
#include "storage/backup/file_copy.h"

namespace wharf {

class BackupWriter {
 public:
  // Both outlive it.
  BackupWriter(const BackupFolder& folder, const BackupFiles& files)
      : folder_(folder), files_(files) {}

  // How large it will be; of these bytes, those that are shared. Looked up first, so that who
  // waits knows how much there is to do.
  struct Plan {
    std::vector<BackupFile> files{};  // With their checksums, where they are shared.
    std::optional<BackupManifest> earlier{};
    // Behind all others of the folder, however the clock went.
    Timestamp created_at{};
    std::uint64_t bytes = 0;
    std::uint64_t shared_bytes = 0;
  };
  Result<Plan> Look(const std::string& checkpoint, const BackupManifest& head) const;
  // `head` says all but the files, and what time it is. What was begun and failed is removed.
  Status Write(const std::string& checkpoint, Plan plan, BackupManifest head) const;

 private:
  std::optional<BackupManifest> Earlier(const std::vector<BackupFolder::Found>& found,
                                        const BackupManifest& head) const;
  Status CheckRoom(const Plan& plan) const;
  Status WriteFiles(const std::string& checkpoint, const std::string& unfinished, Plan plan,
                    BackupManifest& manifest) const;
  // Whether it has its second name.
  Result<bool> Share(const Plan& plan, const BackupFile& file, const std::string& checkpoint,
                     const std::string& unfinished) const;
  // Whether that of the checkpoint is the file that an earlier backup has there.
  Result<bool> IsSame(const BackupFile& file, const std::string& checkpoint,
                      const std::string& there) const;
  Result<BackupFile> Copy(const std::string& checkpoint, const std::string& unfinished,
                          const std::string& name) const;

  const BackupFolder& folder_;
  const BackupFiles& files_;
};

// Reads all files of a backup, and compares them with its manifest.
Status VerifyBackup(const BackupFolder& folder, const BackupManifest& manifest,
                    const BackupFiles& files);
// Copies them into another folder, as the manifest has them, durably.
Status CopyBackup(const std::string& backup, const BackupManifest& manifest,
                  const std::string& target, const BackupFiles& files);

}  // namespace wharf
