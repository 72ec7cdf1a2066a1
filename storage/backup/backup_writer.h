// BackupWriter: makes a backup of the files of a checkpoint.
//
// A file of a table, or with bodies, never changes: where an earlier backup of the same store has
// it, that one's gets a second name. Of a table its end is read to know it by, a file with bodies
// is read at the pace and known by its checksum; neither is written. What is new is copied, and a
// table's blocks are compared with their checksums, so that damage is not kept as if it were whole.
// Of a file that is encrypted neither end nor checksum can be compared; it has a mark instead,
// which the maker's secret makes of them. It is shared among backups that are encrypted to one key.
// Used by one thread, which holds the folder; takes minutes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/backup/backup_folder.h"
#include "storage/backup/file_copy.h"
#include "storage/sealed/recipient.h"

namespace wharf {

class BackupWriter {
 public:
  // To whom files are encrypted, and what their marks are made with: nobody else can tell from a
  // mark what is in a file. Another secret, and nothing is shared with what is there.
  struct Encryption {
    Recipient recipient;
    std::string secret{};
  };

  // Both outlive it. Nothing: in the clear.
  BackupWriter(const BackupFolder& folder, const BackupFiles& files,
               std::optional<Encryption> encryption = std::nullopt)
      : folder_(folder), files_(files), encryption_(std::move(encryption)) {}

  // How large it will be; of these bytes, those that are shared. Looked up first, so that who
  // waits knows how much there is to do.
  struct Plan {
    // As the data has them; with their checksums, and marks, where they are shared.
    std::vector<BackupFile> files{};
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
  std::string StoredName(const std::string& name) const;
  // The files of a backup that an earlier one has of this one of the data; none: it has it not.
  std::vector<BackupFile> EarlierOf(const BackupManifest& earlier, const BackupFile& file) const;
  // Whether it has its second name, and its head, too.
  Result<bool> Share(const Plan& plan, const BackupFile& file, const std::string& checkpoint,
                     const std::string& unfinished) const;
  // False: they are gone again.
  Result<bool> Unlink(const std::vector<BackupFile>& linked, const std::string& unfinished) const;
  // Whether that of the checkpoint is the file that an earlier backup has there.
  Result<bool> IsSame(const BackupFile& file, const std::string& checkpoint,
                      const std::string& there) const;
  // What a file of the data, which has this checksum, is known again by.
  std::string MarkOf(const BackupFile& file, const std::string& checkpoint) const;
  // What was written: a file, and of an encrypted one its head.
  Result<std::vector<BackupFile>> Copy(const std::string& checkpoint, const std::string& unfinished,
                                       const std::string& name) const;
  Result<std::vector<BackupFile>> CopyEncrypted(const std::string& checkpoint,
                                                const std::string& unfinished,
                                                const std::string& name) const;

  const BackupFolder& folder_;
  const BackupFiles& files_;
  const std::optional<Encryption> encryption_;
};

// Reads all files of a backup, and compares them with its manifest.
Status VerifyBackup(const BackupFolder& folder, const BackupManifest& manifest,
                    const BackupFiles& files);
// The key of an encrypted one, among these; null, and OK: it is in the clear. `label` is what a
// sentence calls it.
Result<const RecipientKey*> KeyOfBackup(const std::string& label, const BackupManifest& manifest,
                                        const RecipientKeys& keys);
// Copies them into another folder, as the manifest has them, durably, and in the clear.
Status CopyBackup(const std::string& backup, const BackupManifest& manifest,
                  const std::string& target, const BackupFiles& files, const RecipientKey* key);

}  // namespace wharf
