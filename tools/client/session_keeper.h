// SessionKeeper: renews the locks of the sessions that a receiver holds, for as long as it holds
// them.
//
// Each is renewed when half of its lock duration is over, one after the other on a thread of the
// keeper's own. What fails for a while is soon tried again; one that is lost, or can never be
// renewed, is not renewed again: its receiver hears of it by itself. Made by programs that work on
// a session longer than its lock lasts; any thread may call, also from the callbacks of a Receiver.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/sessions.h"

namespace wharf::client {

class SessionKeeper {
 public:
  // `sessions` outlives it.
  SessionKeeper(Sessions& sessions, std::string entity_path);
  ~SessionKeeper();
  SessionKeeper(const SessionKeeper&) = delete;
  SessionKeeper& operator=(const SessionKeeper&) = delete;

  void Keep(const v1::AcceptedSession& session);
  void Forget(const std::string& session_lock_token);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Held {
    std::chrono::microseconds interval;
    Time renew_at;
  };

  void Run();
  // Lets go of the lock while the broker is asked.
  void Renew(const std::string& token) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Schedule(const std::string& token, Held held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Drop(const std::string& token) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteRenewed(const std::string& token, const Status& renewed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Sessions& sessions_;
  const std::string entity_path_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Held> held_ ABSL_GUARDED_BY(mutex_);
  std::set<std::pair<Time, std::string>> due_ ABSL_GUARDED_BY(mutex_);
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace wharf::client
