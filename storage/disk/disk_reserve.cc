#include "storage/disk/disk_reserve.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf {

DiskReserve::DiskReserve(const std::string& folder) : path_(folder + "/RESERVE") {}

std::uint64_t DiskReserve::bytes() const {
  struct stat file = {};
  return ::stat(path_.c_str(), &file) == 0 ? static_cast<std::uint64_t>(file.st_size) : 0;
}

// Really allocated, where the file system can: a file with a hole would keep nothing.
Status DiskReserve::Fill() {
  const std::uint64_t bytes_before = bytes();
  if (bytes_before >= kBytes) return {};
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  int error = file < 0 ? errno : ::posix_fallocate(file, 0, kBytes);
  if (file >= 0) ::close(file);
  if (error == 0) return {};
  GiveUpTo(bytes_before);
  return {ErrorCode::kGeneralError,
          "cannot keep a reserve in " + path_ + ": " + std::generic_category().message(error)};
}

std::uint64_t DiskReserve::GiveUpTo(std::uint64_t bytes_left) {
  const std::uint64_t bytes_before = bytes();
  if (bytes_before <= bytes_left && bytes_left > 0) return 0;
  const int given = bytes_left == 0 ? ::unlink(path_.c_str())
                                    : ::truncate(path_.c_str(), static_cast<off_t>(bytes_left));
  return given == 0 ? bytes_before - bytes_left : 0;
}

}  // namespace wharf
