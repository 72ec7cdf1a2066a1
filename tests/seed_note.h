// SeedNote: what repeats a random round, told when a check in it fails, and also when the round
// ends the program: by an assertion, a bad access, or an exception.
//
// Random tests make one for each round, and one at a time. A trace of GoogleTest alone is told with
// failed checks only.
#pragma once

#include <algorithm>
#include <csignal>
#include <exception>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace wharf {

class SeedNote {
 public:
  explicit SeedNote(const std::string& text) : trace_("the random round", 0, text) {
    [[maybe_unused]] static const bool kIsListening = ListenForEnds();
    const std::string line = "in the random round: " + text + "\n";
    told_length = 0;
    line.copy(told_line, kLineMax);
    told_length = static_cast<std::sig_atomic_t>(std::min(line.size(), kLineMax));
  }
  ~SeedNote() {
    if (std::uncaught_exceptions() > exceptions_before_) Tell();
    told_length = 0;
  }
  SeedNote(const SeedNote&) = delete;
  SeedNote& operator=(const SeedNote&) = delete;

 private:
  static constexpr std::size_t kLineMax = 512;
  static constexpr int kEnds[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

  static bool ListenForEnds() {
    for (const int end : kEnds) {
      struct sigaction action = {};
      action.sa_handler = OnEnd;
      sigaction(end, &action, &handlers_before[end]);
    }
    return true;
  }
  // What caused the signal happens again, and then to whoever listened before.
  static void OnEnd(int end) {
    Tell();
    sigaction(end, &handlers_before[end], nullptr);
  }
  // Calls nothing that a signal may not.
  static void Tell() {
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, told_line, static_cast<std::size_t>(told_length));
  }

  inline static char told_line[kLineMax];
  inline static volatile std::sig_atomic_t told_length = 0;
  inline static struct sigaction handlers_before[NSIG];

  const int exceptions_before_ = std::uncaught_exceptions();
  const ::testing::ScopedTrace trace_;
};

}  // namespace wharf
