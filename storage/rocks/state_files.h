// State files: what a state consists of while nobody has it open: a checkpoint, for whoever sends
// it to another node, and one whose place a snapshot took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

struct StateFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;

  friend bool operator==(const StateFile&, const StateFile&) = default;
};

// Of a checkpoint, which nobody has opened, in the order of their names. Reads all of it, in pieces
// of a MiB, which takes seconds; any thread. Null: the real file system.
Result<std::vector<StateFile>> ReadStateFiles(rocksdb::FileSystem* file_system,
                                              const std::string& folder);

// Up to where the state of a checkpoint is; changes nothing in it.
Result<StatePosition> ReadStatePosition(const RocksStoreOptions& options);

// Removes the files of a state that nobody has opened, and no other ones; whose state the folder
// had it still says. None of them is one any more when the first is gone.
Status RemoveStateFiles(rocksdb::FileSystem* file_system, const std::string& folder);

}  // namespace wharf
