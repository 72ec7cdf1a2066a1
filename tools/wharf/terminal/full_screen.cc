#include "tools/wharf/terminal/full_screen.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace wharf::tool {
namespace {

// Another screen, without a cursor and without lines that wrap; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

// For how long an Escape may be the beginning of another key.
constexpr std::chrono::milliseconds kEscapeWait{50};

constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array kCrashes = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

// What a handler of signals may look at. Set while there is a screen.
int handler_descriptor = -1;
int screen_descriptor = -1;
termios usual_modes;

void Tell(char sign) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(handler_descriptor, &sign, 1);
  errno = error;
}

void OnEnding(int /*signal*/) { Tell('e'); }
void OnChange(int /*signal*/) { Tell('w'); }
void OnStop(int /*signal*/) { Tell('s'); }

// Calls what POSIX lets a handler call, and ends as it would have.
void OnCrash(int signal) {
  [[maybe_unused]] const ssize_t written = write(screen_descriptor, kLeave.data(), kLeave.size());
  tcsetattr(screen_descriptor, TCSANOW, &usual_modes);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void HandleAll(bool is_ours) {
  for (const int signal : kEndings) Handle(signal, is_ours ? OnEnding : SIG_DFL);
  for (const int signal : kCrashes) Handle(signal, is_ours ? OnCrash : SIG_DFL);
  for (const int signal : {SIGWINCH, SIGCONT}) Handle(signal, is_ours ? OnChange : SIG_DFL);
  // In raw mode Ctrl-Z is a key: whoever sends it is another process.
  Handle(SIGTSTP, is_ours ? OnStop : SIG_DFL);
}

Status Refusal(const char* what) {
  return {ErrorCode::kGeneralError, fmt::format("{}: {}", what, std::strerror(errno))};
}

std::string_view CodeOf(ScreenLine::Look look) {
  switch (look) {
    case ScreenLine::Look::kPlain:
      return "";
    case ScreenLine::Look::kBold:
      return "\x1b[1m";
    case ScreenLine::Look::kReverse:
      return "\x1b[7m";
    case ScreenLine::Look::kAlarm:
      return "\x1b[1;31m";
  }
  return "";
}

// The ends of the pipe that handlers write to.
std::array<int, 2> signals = {-1, -1};

}  // namespace

FullScreen::FullScreen(Output& out) : out_(out) {}

Result<std::unique_ptr<FullScreen>> FullScreen::Take(Output& out) {
  if (pipe2(signals.data(), O_NONBLOCK | O_CLOEXEC) != 0) return Refusal("no pipe for signals");
  std::unique_ptr<FullScreen> screen(new FullScreen(out));
  WHARF_RETURN_IF_ERROR(screen->Enter());
  return screen;
}

FullScreen::~FullScreen() {
  Leave();
  for (const int end : signals) close(end);
}

Status FullScreen::Enter() {
  if (tcgetattr(STDIN_FILENO, &usual_modes) != 0) return Refusal("no keys can be read");
  termios modes = usual_modes;
  cfmakeraw(&modes);
  handler_descriptor = signals[1];
  screen_descriptor = out_.descriptor();
  is_entered_ = true;
  HandleAll(/*is_ours=*/true);
  if (tcsetattr(STDIN_FILENO, TCSANOW, &modes) != 0) return Refusal("no keys can be read");
  out_.Write(kEnter);
  out_.Flush();
  return {};
}

void FullScreen::Leave() {
  if (!is_entered_) return;
  is_entered_ = false;
  out_.Write(kLeave);
  out_.Flush();
  tcsetattr(STDIN_FILENO, TCSANOW, &usual_modes);
  HandleAll(/*is_ours=*/false);
}

void FullScreen::Suspend() {
  Leave();
  raise(SIGTSTP);
  // Somebody said `fg`, or sent SIGCONT.
  [[maybe_unused]] const Status entered = Enter();
}

FullScreen::Size FullScreen::size() const {
  winsize size{};
  if (ioctl(out_.descriptor(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

// A line is cleared before it is written: behind its last column the cursor stands on that.
void FullScreen::Show(const std::vector<ScreenLine>& lines) {
  const std::size_t height = size().height;
  const std::size_t count = std::min(lines.size(), height);
  std::string bytes = "\x1b[H";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view code = CodeOf(lines[i].look);
    bytes += "\x1b[K";
    bytes += code;
    bytes += lines[i].text;
    if (!code.empty()) bytes += "\x1b[0m";
    if (i + 1 < height) bytes += "\r\n";
  }
  if (count < height) bytes += "\x1b[J";
  out_.Write(bytes);
  out_.Flush();
}

FullScreen::Happened FullScreen::Wait(int wake, std::chrono::milliseconds patience) {
  const auto wait = keys_.is_waiting() ? std::min(patience, kEscapeWait) : patience;
  std::array<pollfd, 3> sources = {
      {{STDIN_FILENO, POLLIN, 0}, {signals[0], POLLIN, 0}, {wake, POLLIN, 0}}};
  const int ready = poll(sources.data(), sources.size(), static_cast<int>(wait.count()));
  Happened happened;
  if (ready == 0) happened.keys = keys_.Settle();
  if (ready <= 0) return happened;
  std::array<char, 256> bytes{};
  if (sources[1].revents != 0) {
    const ssize_t count = read(signals[0], bytes.data(), bytes.size());
    const std::string_view signs(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    happened.is_ended = signs.find('e') != std::string_view::npos;
    happened.is_stale = signs.find('w') != std::string_view::npos;
    if (!happened.is_ended && signs.find('s') != std::string_view::npos) {
      Suspend();
      // The keys that waited before it may have gone to another process.
      return {.is_stale = true};
    }
  }
  if (sources[0].revents != 0) {
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    // The terminal is gone.
    if (count <= 0) happened.is_ended = true;
    if (count > 0) happened.keys = keys_.Read({bytes.data(), static_cast<std::size_t>(count)});
  }
  return happened;
}

}  // namespace wharf::tool
