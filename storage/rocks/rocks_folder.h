// Rocks folder: what is done to a folder before RocksDB opens it, and where files come and go
// without RocksDB. Used by RocksStore and by the folder of a SegmentLog.
#pragma once

#include <optional>
#include <string>

#include <rocksdb/file_system.h>

#include "storage/base/status.h"

namespace wharf {

// What each call of a file system wants to be told.
inline const rocksdb::IOOptions kNoOptions;

// What came and went in it is on the disk.
rocksdb::IOStatus SyncFolder(rocksdb::FileSystem& file_system, const std::string& folder);
// If it is missing, durably and with its parents.
rocksdb::IOStatus MakeFolder(rocksdb::FileSystem& file_system, const std::string& folder);

// Makes the folder if it is missing, durably and with its parents. Refuses a folder that lost its
// heart.
Status PrepareFolder(rocksdb::FileSystem& file_system, const std::string& folder);

// Whose a folder is: of a broker of a single node as it was before it had a log of its own, whose
// store has a write-ahead log; of a single node, whose log is beside its state; or of a node of a
// cluster, whose state has no write-ahead log either.
enum class FolderKind { kOwnLog, kSingle, kNode };
// None: there is no store, nor what says whose it will be.
std::optional<FolderKind> KindOf(rocksdb::FileSystem& file_system, const std::string& folder);
// Refuses one of another kind; a new one becomes of this kind.
Status BeOfKind(rocksdb::FileSystem& file_system, const std::string& folder, FolderKind kind);
// From now on it is of this kind, and of no other; durably.
Status MarkKind(rocksdb::FileSystem& file_system, const std::string& folder, FolderKind kind);

// The name of the store in a folder; an error if it is lost.
Result<std::string> ReadIdentity(rocksdb::FileSystem& file_system, const std::string& folder);
// Gives it to the copy of that store in another folder, durably.
Status CopyIdentity(rocksdb::FileSystem& file_system, const std::string& from,
                    const std::string& to);
// Gives a new one to a store that was closed cleanly, and is another one from now on; durably.
Status RenewIdentity(rocksdb::FileSystem& file_system, const std::string& folder);

// Whether there is a store in the folder, but not a single log of it.
Result<bool> IsWithoutLog(rocksdb::FileSystem& file_system, const std::string& folder);

}  // namespace wharf
