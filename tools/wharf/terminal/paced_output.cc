#include "tools/wharf/terminal/paced_output.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <iterator>
#include <utility>

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace wharf::tool {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = 64 << 10;
constexpr std::size_t kFileWriteBytes = 1 << 20;
// When poll(2) says that a pipe has room, a write of so much does not block.
constexpr std::size_t kPipeWriteBytes = PIPE_BUF;
constexpr std::uint64_t kAheadMax = 1 << 20;
constexpr microseconds kPauseMin(20);
constexpr microseconds kPauseMax(20'000);
// How long a reader may still take what it was given, when the user wants an end.
constexpr std::chrono::seconds kLastPatience(2);

}  // namespace

PacedOutput::PacedOutput(Output& out, const Interruption& interruption, TakenCallback on_taken)
    : out_(out),
      interruption_(interruption),
      on_taken_(std::move(on_taken)),
      kind_(KindOf(out.descriptor())) {
  if (has_reader()) ahead_ = 1;
}

PacedOutput::Kind PacedOutput::KindOf(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return Kind::kFile;
  if (S_ISFIFO(status.st_mode)) return Kind::kPipe;
  return S_ISSOCK(status.st_mode) ? Kind::kSocket : Kind::kFile;
}

void PacedOutput::Put(std::string_view piece) {
  put_ += piece.size();
  if (piece.size() < kBufferBytes) {
    buffer_ += piece;
    return;
  }
  Flush();
  WriteOut(piece);
}

void PacedOutput::End() {
  ends_.push_back(put_);
  const bool is_far_ahead = ends_.size() >= ahead_;
  if (is_far_ahead || buffer_.size() >= kBufferBytes) Flush();
  if (is_far_ahead) WaitForReader();
}

void PacedOutput::Flush() {
  WriteOut(buffer_);
  buffer_.clear();
  Look();
}

void PacedOutput::WriteOut(std::string_view bytes) {
  const std::size_t piece_max = has_reader() ? kPipeWriteBytes : kFileWriteBytes;
  while (!bytes.empty() && !is_broken()) {
    const std::string_view piece = bytes.substr(0, piece_max);
    if (has_reader() && !WaitForRoom()) return;
    out_.Write(piece);
    if (!out_.Flush()) return;
    written_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

// False if there will be none.
bool PacedOutput::WaitForRoom() {
  while (!is_broken() && !IsPatienceOver()) {
    const short events = Poll(POLLOUT, kPauseMax);
    if ((events & (POLLERR | POLLHUP)) == 0 && (events & POLLOUT) != 0) return true;
    Look();
  }
  is_reader_gone_ = true;  // For us: it had its time.
  return false;
}

void PacedOutput::Look() {
  const bool is_gone = has_reader() && (Poll(0, microseconds(0)) & (POLLERR | POLLHUP)) != 0;
  const std::uint64_t unread = std::min(UnreadBytes(), written_);
  // A socket forgets what was unread when its other end is closed.
  const bool is_known =
      kind_ != Kind::kSocket || (!is_gone && (Poll(0, microseconds(0)) & POLLHUP) == 0);
  if (is_known) taken_ = std::max(taken_, written_ - unread);
  if (is_gone) is_reader_gone_ = true;
  std::uint64_t count = 0;
  for (; !ends_.empty() && ends_.front() <= taken_; ++count) ends_.pop_front();
  Widen(count);
  if (count > 0) on_taken_(count);
}

// Twice as many once the reader has taken as many as may lie before it, and has none left.
void PacedOutput::Widen(std::uint64_t taken) {
  if (!has_reader()) return;
  followed_ += taken;
  if (!ends_.empty() || followed_ < ahead_) return;
  ahead_ = std::min(ahead_ * 2, kAheadMax);
  followed_ = 0;
}

std::uint64_t PacedOutput::UnreadBytes() const {
  int bytes = 0;
  if (kind_ == Kind::kPipe && ioctl(out_.descriptor(), FIONREAD, &bytes) != 0) bytes = 0;
  if (kind_ == Kind::kSocket && ioctl(out_.descriptor(), SIOCOUTQ, &bytes) != 0) bytes = 0;
  return static_cast<std::uint64_t>(bytes);
}

void PacedOutput::WaitForReader() {
  microseconds pause = kPauseMin;
  while (!is_broken() && !interruption_.is_raised()) {
    if (ends_.size() < ahead_) return;
    Pause(pause);
    Look();
  }
}

void PacedOutput::WaitUntilTaken() {
  Flush();
  microseconds pause = kPauseMin;
  while (!ends_.empty() && !is_broken() && !IsPatienceOver()) {
    Pause(pause);
    Look();
  }
}

// Longer every time.
void PacedOutput::Pause(microseconds& pause) const {
  Poll(0, pause);
  pause = std::min(pause * 2, kPauseMax);
}

// What of `events` there is on the output; POLLERR or POLLHUP if its reader is gone. Returns early
// when the user wants an end.
short PacedOutput::Poll(short events, microseconds timeout) const {
  const int wish = interruption_.is_raised() ? -1 : interruption_.descriptor();
  pollfd polled[] = {{.fd = out_.descriptor(), .events = events, .revents = 0},
                     {.fd = wish, .events = POLLIN, .revents = 0}};
  const timespec wait{.tv_sec = timeout.count() / 1'000'000,
                      .tv_nsec = timeout.count() % 1'000'000 * 1000};
  if (ppoll(polled, std::size(polled), &wait, nullptr) <= 0) return 0;
  return polled[0].revents;
}

bool PacedOutput::IsPatienceOver() {
  if (!interruption_.is_raised()) return false;
  const Time now = steady_clock::now();
  if (!interrupted_at_) interrupted_at_ = now;
  return now - *interrupted_at_ >= kLastPatience;
}

}  // namespace wharf::tool
