#include "storage/disk/disk_space.h"

#include <cerrno>
#include <system_error>

#include <sys/statvfs.h>

namespace wharf {

Result<std::uint64_t> FolderDisk::FreeBytes() const {
  struct statvfs space = {};
  if (::statvfs(folder_.c_str(), &space) != 0) {
    return Status(ErrorCode::kGeneralError,
                  "cannot see how much of the disk of " + folder_ +
                      " is free: " + std::generic_category().message(errno));
  }
  return std::uint64_t{space.f_bavail} * space.f_frsize;
}

}  // namespace wharf
