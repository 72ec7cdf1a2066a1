#include "broker/daemon/folder/folder_claim.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

namespace wharf {

// The folder itself is locked, so that no file more lies in it. Not every file system locks folders
// (NFS does not): there the locks of the store and of its log are all.
Result<FolderClaim> FolderClaim::Of(const std::string& folder) {
  FolderClaim claim(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (claim.file_ < 0 && errno == ENOENT) return claim;
  if (claim.file_ >= 0 && flock(claim.file_, LOCK_EX | LOCK_NB) == 0) return claim;
  if (claim.file_ >= 0 && (errno == EBADF || errno == ENOLCK || errno == EOPNOTSUPP)) return claim;
  if (errno == EWOULDBLOCK) {
    return Status(ErrorCode::kGeneralError, folder + " is in use by another wharfd");
  }
  return Status(ErrorCode::kGeneralError,
                fmt::format("cannot claim {}: {}", folder, std::strerror(errno)));
}

FolderClaim::FolderClaim(FolderClaim&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderClaim::~FolderClaim() {
  if (file_ >= 0) close(file_);
}

}  // namespace wharf
