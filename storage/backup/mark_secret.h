// MarkSecret: what the marks of encrypted files are made with (backup_writer.h).
//
//   DATA/BACKUP-SECRET = 32 random bytes
//
// It stays in the data folder, which has in the clear whatever a mark might tell; no backup has it.
// Where it is lost the next backup shares nothing with those before. Plain function, on one thread.
#pragma once

#include <memory>
#include <string>

#include "storage/base/status.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

// Made, if there is none. Null: the real file system.
Result<std::string> SecretOfMarks(const std::string& data,
                                  std::shared_ptr<rocksdb::FileSystem> file_system = nullptr);

}  // namespace wharf
