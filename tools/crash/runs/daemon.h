// Daemon: wharfd as a child process that is started, killed and started again.
//
// A thread reads what it says. Made and started on one thread, which must outlive it: the daemon
// ends with it. Signals may be sent from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::crash {

// That it compacts something for no reason, at moments that differ from seed to seed, and keeps
// more or fewer spans of what expired.
std::vector<std::string> FlagsToCompact(std::uint64_t seed);

class Daemon {
 public:
  struct Options {
    // Words before the program, which becomes what they begin; none: it begins by itself.
    std::vector<std::string> launcher{};
    std::string program;
    std::string data;
    // With port 0 it is another one after every start.
    std::string listen = "127.0.0.1:0";
    std::vector<std::string> flags{};
    // Beside that of this process: "NAME=value".
    std::vector<std::string> environment{};
    // All that it says is added to this file, too; empty: to none.
    std::string log{};
  };

  explicit Daemon(Options options) : options_(std::move(options)), program_(options_.program) {}
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Another program, from the next start on. On the thread that starts it.
  void SetProgram(std::string program) { program_ = std::move(program); }
  // Only when none is running.
  Status Spawn();
  // Waits for the line that says that it is ready. An error if it ended instead, or is not ready in
  // time.
  Status WaitUntilReady(Duration patience);
  // Does nothing if it has ended.
  void Signal(int signal);
  // 0: none is running.
  pid_t pid();
  // Waits for its end; true if it ended by itself with exit code 0. An error if it is not over in
  // time.
  Result<bool> WaitUntilEnded(Duration patience);

  // Of the daemon that is ready.
  std::string address();
  // Where it listens for AMQP; empty: it does not.
  std::string amqp_address();
  std::string rest_address();
  // The last lines that it said.
  std::string last_words();

 private:
  void Listen(int pipe);
  void OnLine(std::string line);
  void OnEnd();

  const Options options_;
  std::string program_;
  std::thread listener_;
  std::ofstream log_;  // The listener's.

  Mutex mutex_;
  std::condition_variable_any changed_;
  pid_t pid_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: none is running.
  int exit_status_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string address_ ABSL_GUARDED_BY(mutex_);  // Empty until it is ready.
  std::string amqp_address_ ABSL_GUARDED_BY(mutex_);
  std::string rest_address_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> lines_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::crash
