#include "broker/trace/span_file.h"

#include <cerrno>
#include <cstring>

#include <absl/cleanup/cleanup.h>
#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace wharf::trace {
namespace {

// Not blocking: a pipe that nobody reads would hold up a start.
constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;

Status Failed(const std::string& path, int error) {
  return {ErrorCode::kGeneralError, fmt::format("cannot write spans to {}: {}",
                                                absl::CHexEscape(path), std::strerror(error))};
}

}  // namespace

// On a full disk a part may be written; it is taken back, so that the next line is one.
Status SpanFile::Write(const std::string& bytes) const {
  const int file = open(path_.c_str(), kFlags, 0600);
  if (file < 0) return Failed(path_, errno);
  const absl::Cleanup closes = [file] { close(file); };
  const off_t end = lseek(file, 0, SEEK_END);
  const ssize_t written = write(file, bytes.data(), bytes.size());
  if (written == static_cast<ssize_t>(bytes.size())) return {};
  const int error = written < 0 ? errno : ENOSPC;
  if (written > 0 && end >= 0 && ftruncate(file, end) != 0) return Failed(path_, errno);
  return Failed(path_, error);
}

}  // namespace wharf::trace
