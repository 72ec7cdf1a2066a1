#include "replication/identity/durable_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf {
namespace {

Status Failure(std::string_view doing, const std::string& path) {
  return {ErrorCode::kGeneralError,
          fmt::format("cannot {} {}: {}", doing, path, std::strerror(errno))};
}

// A descriptor that is closed at the end, whatever happens.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  const int number_;
};

bool WriteAll(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A file that a broken attempt left is replaced with its rights: it may have had others.
Status WriteNew(const std::string& path, std::string_view content, mode_t mode) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return Failure("replace", path);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.is_open()) return Failure("make", path);
  if (!WriteAll(file.number(), content)) return Failure("write", path);
  return ::fsync(file.number()) == 0 ? Status::Ok() : Failure("sync", path);
}

Status SyncFolderOf(const std::string& path) {
  const std::string folder = (std::filesystem::path(path).parent_path() / ".").string();
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return Failure("open", folder);
  return ::fsync(opened.number()) == 0 ? Status::Ok() : Failure("sync", folder);
}

}  // namespace

Status WriteDurably(const std::string& path, std::string_view content, mode_t mode) {
  const std::string fresh = path + ".new";
  Status written = WriteNew(fresh, content, mode);
  if (written.ok() && ::rename(fresh.c_str(), path.c_str()) != 0) written = Failure("make", path);
  if (!written.ok()) {
    ::unlink(fresh.c_str());
    return written;
  }
  return SyncFolderOf(path);
}

Result<std::optional<std::string>> ReadSmallFile(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() && errno == ENOENT) return std::optional<std::string>();
  if (!file.is_open()) return Failure("open", path);
  struct stat about {};
  if (::fstat(file.number(), &about) != 0) return Failure("read", path);
  if (!S_ISREG(about.st_mode)) {
    return Status(ErrorCode::kGeneralError, fmt::format("{} is not a file", path));
  }
  std::string content;
  char piece[4096];
  while (true) {
    const ssize_t got = ::read(file.number(), piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure("read", path);
    if (got == 0) return std::optional<std::string>(std::move(content));
    content.append(piece, static_cast<std::size_t>(got));
    if (content.size() > bytes_max) {
      return Status(ErrorCode::kGeneralError,
                    fmt::format("{} is larger than {} bytes", path, bytes_max));
    }
  }
}

}  // namespace wharf
