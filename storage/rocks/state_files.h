// State files: what a checkpoint of a state consists of, for whoever sends it to another node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/base/status.h"

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

}  // namespace wharf
