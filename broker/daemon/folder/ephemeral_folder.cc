#include "broker/daemon/folder/ephemeral_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf {
namespace {

namespace fs = std::filesystem;

Status CannotMake(const fs::path& path, std::string_view why) {
  return {ErrorCode::kGeneralError,
          fmt::format("cannot make the ephemeral folder {}: {}", path.string(), why)};
}

// A folder that is open, to be locked; the lock goes when it is closed.
class OpenFolder {
 public:
  explicit OpenFolder(const fs::path& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}
  ~OpenFolder() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  bool Lock() const { return descriptor_ >= 0 && flock(descriptor_, LOCK_EX) == 0; }
  bool LockIfFree() const { return descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }
  // Of this user, and nobody else may look into it.
  bool is_private() const {
    struct stat facts {};
    if (descriptor_ < 0 || fstat(descriptor_, &facts) != 0) return false;
    return facts.st_uid == geteuid() && (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

void RemoveWhole(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error)
    spdlog::warn("cannot remove the ephemeral folder {}: {}", path.string(), error.message());
}

// All that stand in the parent, which is locked: none of them is being made.
void RemoveAbandoned(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator each(parent, error), end; !error && each != end;
       each.increment(error)) {
    found.push_back(each->path());
  }
  for (const fs::path& path : found) {
    const OpenFolder folder(path);
    if (!folder.LockIfFree()) continue;
    spdlog::info("removing {}, whose process is gone", path.string());
    RemoveWhole(path);
  }
}

}  // namespace

Result<std::unique_ptr<EphemeralFolder>> EphemeralFolder::Make(const std::string& place) {
  const fs::path parent = fs::path(place) / fmt::format("wharfd-ephemeral-{}", geteuid());
  if (mkdir(parent.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return CannotMake(parent, std::strerror(errno));
  }
  const OpenFolder held(parent);
  if (!held.is_private()) return CannotMake(parent, "it is there, and not for this user alone");
  if (!held.Lock()) return CannotMake(parent, std::strerror(errno));
  RemoveAbandoned(parent);
  std::string path = (parent / "XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) return CannotMake(path, std::strerror(errno));
  OpenFolder made(path);
  if (!made.LockIfFree()) return CannotMake(path, std::strerror(errno));
  return std::unique_ptr<EphemeralFolder>(new EphemeralFolder(path, made.Release()));
}

// The lock last: until then nobody else removes it, too.
EphemeralFolder::~EphemeralFolder() {
  RemoveWhole(path_);
  close(lock_);
}

std::string TemporaryFolder() {
  const char* const said = std::getenv("TMPDIR");
  return said == nullptr || *said == '\0' ? "/tmp" : said;
}

}  // namespace wharf
