#include "tools/wharf/terminal/input_file.h"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf::tool {
namespace {

Status CannotRead(const std::string& name, const char* why) {
  return {ErrorCode::kArgumentError, fmt::format("{} cannot be read: {}", name, why)};
}

bool IsDirectory(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Result<InputFile> InputFile::Open(const std::string& name) {
  const bool is_stdin = name == "-";
  InputFile file(is_stdin ? "stdin" : name,
                 is_stdin ? STDIN_FILENO : open(name.c_str(), O_RDONLY | O_CLOEXEC), !is_stdin);
  if (file.descriptor_ < 0) return file.Broken();
  if (IsDirectory(file.descriptor_)) return CannotRead(file.name(), "it is a directory");
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_own_(other.is_own_) {}

InputFile::~InputFile() {
  if (is_own_ && descriptor_ >= 0) close(descriptor_);
}

Result<std::size_t> InputFile::Read(char* bytes, std::size_t size_max,
                                    const Interruption& interruption) {
  while (true) {
    pollfd polled[] = {{.fd = descriptor_, .events = POLLIN, .revents = 0},
                       {.fd = interruption.descriptor(), .events = POLLIN, .revents = 0}};
    if (poll(polled, std::size(polled), -1) < 0 && errno != EINTR) return Broken();
    if (interruption.is_raised()) return std::size_t{0};
    if (polled[0].revents == 0) continue;
    const ssize_t count = read(descriptor_, bytes, size_max);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) return Broken();
  }
}

// As errno says.
Status InputFile::Broken() const { return CannotRead(name_, std::strerror(errno)); }

}  // namespace wharf::tool
