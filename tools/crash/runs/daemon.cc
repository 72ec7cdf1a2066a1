#include "tools/crash/runs/daemon.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <absl/strings/str_join.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/crash/runs/dice.h"

namespace wharf::crash {
namespace {

constexpr std::size_t kLinesMax = 30;
constexpr std::string_view kReady = "wharfd ready on ";
constexpr std::string_view kAmqp = " amqp://";
constexpr std::string_view kRest = " servicebus://";

// What stands there, up to the next blank.
std::string WordAt(const std::string& line, std::size_t begin) {
  return line.substr(begin, line.find(' ', begin) - begin);
}

// Of the listener of that kind in a line of which this part names them; empty: there is none.
std::string AddressBehind(std::string_view kind, const std::string& line, std::size_t part) {
  const std::size_t at = line.find(kind, part);
  return at == std::string::npos ? "" : WordAt(line, at + kind.size());
}

// In the child: nothing here may allocate, other threads may have held a lock.
[[noreturn]] void Become(char* const* arguments, char* const* environment, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);  // Ctrl-C in a terminal is for the run alone.
  dup2(pipe, STDERR_FILENO);
  dup2(pipe, STDOUT_FILENO);
  // Or what the proxy between nodes ends would stay open here, and its peers would wait for it.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

// As execve wants them; they last as long as the words.
std::vector<char*> PointersTo(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What is named is not in this process's own, or comes first.
std::vector<std::string> EnvironmentWith(std::vector<std::string> more) {
  for (char** word = environ; *word != nullptr; ++word) more.emplace_back(*word);
  return more;
}

}  // namespace

std::vector<std::string> FlagsToCompact(std::uint64_t seed) {
  constexpr std::uint64_t kSpans[] = {1, 2, 5, 256};
  Dice dice(seed);
  return {"--compact-at-random", fmt::format("{}ms", dice.Between(20, 200)), "--max-expired-spans",
          fmt::format("{}", kSpans[dice.Below(std::size(kSpans))])};
}

Daemon::~Daemon() {
  Signal(SIGKILL);
  if (listener_.joinable()) listener_.join();
}

Status Daemon::Spawn() {
  if (listener_.joinable()) listener_.join();
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return {ErrorCode::kGeneralError, fmt::format("no pipe for wharfd: {}", strerror(errno))};
  }
  std::vector<std::string> words = options_.launcher;
  words.insert(words.end(), {program_, "--data", options_.data, "--listen", options_.listen});
  words.insert(words.end(), options_.flags.begin(), options_.flags.end());
  std::vector<std::string> world = EnvironmentWith(options_.environment);
  const std::vector<char*> arguments = PointersTo(words);
  const std::vector<char*> environment = PointersTo(world);

  MutexLock lock(mutex_);
  const pid_t pid = fork();
  if (pid == 0) Become(arguments.data(), environment.data(), pipe[1]);
  close(pipe[1]);
  if (pid < 0) {
    close(pipe[0]);
    return {ErrorCode::kGeneralError, fmt::format("cannot start wharfd: {}", strerror(errno))};
  }
  pid_ = pid;
  address_.clear();
  lines_.clear();
  listener_ = std::thread([this, out = pipe[0]] { Listen(out); });
  return {};
}

// Its end is the end of what it says.
void Daemon::Listen(int pipe) {
  if (!options_.log.empty() && !log_.is_open()) log_.open(options_.log, std::ios::app);
  std::array<char, 4096> buffer{};
  std::string line;
  while (true) {
    const ssize_t count = read(pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
      if (c == '\n') {
        OnLine(std::exchange(line, {}));
      } else {
        line += c;
      }
    }
  }
  close(pipe);
  OnEnd();
}

void Daemon::OnLine(std::string line) {
  if (log_.is_open()) log_ << line << std::endl;
  MutexLock lock(mutex_);
  const std::size_t ready = line.find(kReady);
  if (ready != std::string::npos) {
    address_ = WordAt(line, ready + kReady.size());
    amqp_address_ = AddressBehind(kAmqp, line, ready);
    rest_address_ = AddressBehind(kRest, line, ready);
    changed_.notify_all();
  }
  lines_.push_back(std::move(line));
  if (lines_.size() > kLinesMax) lines_.pop_front();
}

void Daemon::OnEnd() {
  pid_t pid = 0;
  {
    MutexLock lock(mutex_);
    pid = pid_;
  }
  // Left as a zombie until the lock is held: so nobody can signal another process by its number.
  siginfo_t info = {};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  MutexLock lock(mutex_);
  waitpid(pid, &exit_status_, 0);
  pid_ = 0;
  changed_.notify_all();
}

Status Daemon::WaitUntilReady(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (pid_ != 0 && address_.empty()) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  if (pid_ != 0 && !address_.empty()) return {};
  return {ErrorCode::kServiceCommunicationProblem,
          fmt::format("wharfd {} before it was ready:\n{}", pid_ == 0 ? "ended" : "took too long",
                      absl::StrJoin(lines_, "\n"))};
}

void Daemon::Signal(int signal) {
  MutexLock lock(mutex_);
  if (pid_ != 0) kill(pid_, signal);
}

pid_t Daemon::pid() {
  MutexLock lock(mutex_);
  return pid_;
}

Result<bool> Daemon::WaitUntilEnded(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (pid_ != 0) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  if (pid_ != 0) return Status(ErrorCode::kServiceTimeout, "wharfd did not end in time");
  return WIFEXITED(exit_status_) && WEXITSTATUS(exit_status_) == 0;
}

std::string Daemon::address() {
  MutexLock lock(mutex_);
  return address_;
}

std::string Daemon::amqp_address() {
  MutexLock lock(mutex_);
  return amqp_address_;
}

std::string Daemon::rest_address() {
  MutexLock lock(mutex_);
  return rest_address_;
}

std::string Daemon::last_words() {
  MutexLock lock(mutex_);
  return absl::StrJoin(lines_, "\n");
}

}  // namespace wharf::crash
