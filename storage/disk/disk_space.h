// DiskSpace: how much room the disk of a folder has. A test says it by itself.
#pragma once

#include <cstdint>
#include <string>

#include "storage/base/status.h"

namespace wharf {

class DiskSpace {
 public:
  virtual ~DiskSpace() = default;
  // Bytes that this process may still write. Any thread; asks the file system each time.
  virtual Result<std::uint64_t> FreeBytes() const = 0;
};

// The disk that a folder of this machine is on.
class FolderDisk final : public DiskSpace {
 public:
  explicit FolderDisk(std::string folder) : folder_(std::move(folder)) {}

  Result<std::uint64_t> FreeBytes() const override;

 private:
  const std::string folder_;
};

}  // namespace wharf
