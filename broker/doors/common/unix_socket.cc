#include "broker/doors/common/unix_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace wharf {
namespace {

Status Because(std::string_view why) { return {ErrorCode::kGeneralError, std::string(why)}; }
Status BecauseOfSystem() { return Because(std::strerror(errno)); }

// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

std::string FolderOf(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

int NewSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// Takes away what a dead process left.
Status ClearWay(const std::string& path, const sockaddr_un& address) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return errno == ENOENT ? Status::Ok() : BecauseOfSystem();
  if (!S_ISSOCK(about.st_mode)) return Because("there is a file of that name, and it is no socket");
  const Descriptor caller(NewSocket());
  if (caller.number() < 0) return BecauseOfSystem();
  const int heard =
      connect(caller.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (heard == 0 || errno == EAGAIN) return Because("somebody listens there already");
  if (errno != ECONNREFUSED) return BecauseOfSystem();
  return unlink(path.c_str()) == 0 ? Status::Ok() : BecauseOfSystem();
}

}  // namespace

UnixSocket::UnixSocket(UnixSocket&& other) noexcept { *this = std::move(other); }

UnixSocket& UnixSocket::operator=(UnixSocket&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

UnixSocket::~UnixSocket() {
  if (descriptor_ >= 0) close(descriptor_);
  struct stat about {};
  const bool is_there = !path_.empty() && lstat(path_.c_str(), &about) == 0;
  if (is_there && about.st_dev == device_ && about.st_ino == inode_) unlink(path_.c_str());
}

// Its mode is right before anybody can connect: nobody can until it listens.
Result<UnixSocket> UnixSocket::Listen(const std::string& path, mode_t mode) {
  const sockaddr_un address = AddressOf(path);
  const Descriptor folder(open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Held for a few calls of the system.
  if (folder.number() < 0 || flock(folder.number(), LOCK_EX) != 0) return BecauseOfSystem();
  WHARF_RETURN_IF_ERROR(ClearWay(path, address));
  Descriptor descriptor(NewSocket());
  if (descriptor.number() < 0 ||
      bind(descriptor.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
          0) {
    return BecauseOfSystem();
  }
  UnixSocket made;
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return BecauseOfSystem();
  made.path_ = path;
  made.device_ = about.st_dev;
  made.inode_ = about.st_ino;
  if (chmod(path.c_str(), mode) != 0 || listen(descriptor.number(), SOMAXCONN) != 0) {
    return BecauseOfSystem();
  }
  made.descriptor_ = descriptor.Release();
  return made;
}

int UnixSocket::TakeDescriptor() { return std::exchange(descriptor_, -1); }

}  // namespace wharf
