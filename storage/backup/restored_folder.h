// RestoredFolder: a new data folder, made of a backup: that of a broker by itself, also where the
// backup is of a node.
//
//   DATA/RESTORING   from the beginning to the end: no broker starts there, and nothing is
//                    restored there again
//
// The files are copied, decrypted if need be, and compared with the manifest, the store is opened
// as what it was, which reads the end of its log, and is another store from then on: files of it
// that an earlier backup may have under the same names are not the same. Then it is rolled forward,
// if that is asked for (archive/roll_forward.h), and rewritten. A kill leaves the mark; what is
// there then is of no use. An error leaves nothing. On one thread, for which nobody else uses the
// folder.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "storage/archive/roll_forward.h"
#include "storage/backup/backup_manifest.h"
#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"
#include "storage/sealed/recipient.h"

namespace wharf {

struct RestoreOptions {
  std::string backup{};  // The folder of one: FOLDER/LABEL.
  std::string target{};  // New, or empty.
  TableSet tables{};
  // Where the state of a node says how far it is: what is restored is none any more.
  StatePositionRow position{};
  // Of what is encrypted: that of the backup, and that of the archive.
  RecipientKeys keys{};
  // None: as it was backed up.
  std::optional<RestoreUntil> until{};
  // Does it, with the archive beside the backup, whose run the manifest says.
  std::function<Status(const BackupManifest&, const ArchiveFolder&, RocksStore&)> roll_forward{};
  // Null: the real one.
  std::shared_ptr<rocksdb::FileSystem> file_system = nullptr;
};

// `rewrite` changes what is in the store, before anybody else sees it. What the backup says it is.
Result<BackupManifest> RestoreBackup(const RestoreOptions& options,
                                     const std::function<Status(RocksStore&)>& rewrite);

// Refuses a folder that was begun and not finished.
Status CheckRestored(const std::string& folder);

}  // namespace wharf
