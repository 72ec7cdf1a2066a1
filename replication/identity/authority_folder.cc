#include "replication/identity/authority_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf {
namespace {

namespace fs = std::filesystem;

// Between two looks whether who has it has done.
constexpr auto kPace = std::chrono::milliseconds(5);

Status Failure(std::string_view doing, const std::string& path) {
  return {ErrorCode::kGeneralError,
          fmt::format("cannot {} {}: {}", doing, path, std::strerror(errno))};
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

Status MakeFolders(const fs::path& path) {
  if (path.empty() || IsFolder(path)) return {};
  WHARF_RETURN_IF_ERROR(MakeFolders(path.parent_path()));
  // Somebody else may be as far in the same moment.
  if (::mkdir(path.c_str(), 0700) == 0 || (errno == EEXIST && IsFolder(path))) return {};
  return Failure("make", path.string());
}

// Not every file system locks folders (NFS does not): there two that begin at once may make two
// authorities, and the one whose is gone makes its certificate anew at its next start.
bool KnowsNoLocks() { return errno == EBADF || errno == ENOLCK || errno == EOPNOTSUPP; }

// Whether it is had.
bool Lock(int file, Duration patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (KnowsNoLocks()) return true;
    const bool is_taken = errno == EWOULDBLOCK || errno == EINTR;
    if (!is_taken || std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kPace);
  }
  return true;
}

}  // namespace

Result<std::string> AuthorityFolder::OfThisUser() {
  return Below(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME"));
}

Result<std::string> AuthorityFolder::Below(const char* config_home, const char* home) {
  const auto is_place = [](const char* path) { return path != nullptr && *path == '/'; };
  if (is_place(config_home)) return (fs::path(config_home) / "wharf" / "peers").string();
  if (is_place(home)) return (fs::path(home) / ".config" / "wharf" / "peers").string();
  return Status(ErrorCode::kGeneralError,
                "neither XDG_CONFIG_HOME nor HOME says where this user has its certificates");
}

Status AuthorityFolder::CheckIsPrivate(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    return errno == ENOENT ? Status() : Failure("look into", path);
  }
  const bool is_own = facts.st_uid == ::geteuid();
  if (is_own && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return {ErrorCode::kGeneralError,
          is_own ? fmt::format("others can write in {}, and say there whom nodes believe: chmod "
                               "700 it",
                               path)
                 : fmt::format("{} is another user's", path)};
}

Result<AuthorityFolder> AuthorityFolder::Claim(const std::string& path, Duration patience) {
  WHARF_RETURN_IF_ERROR(MakeFolders(fs::path(path).lexically_normal()));
  AuthorityFolder claim(path, ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (claim.lock_ < 0) return Failure("open", path);
  if (Lock(claim.lock_, patience)) return claim;
  if (errno != EWOULDBLOCK) return Failure("lock", path);
  return Status(
      ErrorCode::kGeneralError,
      fmt::format("another process makes certificates in {} and does not come to an end", path));
}

AuthorityFolder::AuthorityFolder(std::string path, int lock)
    : path_(std::move(path)), lock_(lock) {}

AuthorityFolder::AuthorityFolder(AuthorityFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

AuthorityFolder::~AuthorityFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Result<PeerAuthority> AuthorityFolder::Authority(Clock& clock) const {
  std::error_code error;
  const bool is_there = fs::exists(fs::path(path_) / "peer-ca.pem", error);
  return is_there ? PeerAuthority::Open(path_, clock) : PeerAuthority::Make(path_, clock);
}

}  // namespace wharf
