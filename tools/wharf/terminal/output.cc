#include "tools/wharf/terminal/output.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kUsualWidth = 80;

std::optional<std::size_t> WidthFromEnvironment() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  std::size_t width = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, width);
  if (error != std::errc() || rest != end || width == 0) return std::nullopt;
  return width;
}

std::optional<std::size_t> WidthOfTerminal(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

void Reserve(int descriptor, int flags) {
  if (fcntl(descriptor, F_GETFD) != -1) return;
  // The lowest that is free: `descriptor` itself, as those below it are taken.
  [[maybe_unused]] const int taken = open("/dev/null", flags);
}

}  // namespace

Output::Output(std::FILE* file)
    : file_(file), descriptor_(fileno(file)), is_terminal_(isatty(descriptor_) != 0) {}

void Output::PrintText(const std::string& text) {
  Write(is_terminal_ ? PrintableLines(text) : text);
}

void Output::PrintJson(const Json& json) { Write(WithJsonEscapes(ToLine(json)) + "\n"); }

void Output::Write(std::string_view bytes) {
  if (is_broken()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) NoteFailure();
}

bool Output::Flush() {
  if (!is_broken() && std::fflush(file_) != 0) NoteFailure();
  return !is_broken();
}

void Output::NoteFailure() {
  int none = 0;
  error_.compare_exchange_strong(none, errno == 0 ? EIO : errno);
}

bool Output::is_reader_gone() const { return error_ == EPIPE; }

std::size_t Output::width() const {
  if (const auto width = WidthFromEnvironment()) return *width;
  if (!is_terminal_) return kUsualWidth;
  return WidthOfTerminal(descriptor_).value_or(kUsualWidth);
}

void ReserveStandardStreams() {
  // For the other direction than is meant, so that every use of it fails.
  Reserve(STDIN_FILENO, O_WRONLY);
  Reserve(STDOUT_FILENO, O_RDONLY);
  Reserve(STDERR_FILENO, O_RDONLY);
}

}  // namespace wharf::tool
