// LockKeeper: renews the locks of the messages that a receiver got, until they are settled.
//
// A quarter of the lock duration is a round: what is older than that is renewed, many locks with
// one call, on a thread of the keeper's own. So no lock grows older than half its duration. What
// fails for a while is soon tried again; a lock that is lost is not renewed again: whoever settles
// it hears of it. Made by programs that work on a message longer than its lock lasts, and given to
// a Receiver; any thread may call, also from callbacks.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <string>
#include <thread>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf::client {

class Client;

// The shortest that a broker takes: safe where the lock duration of an entity is not known.
inline constexpr Duration kLockDurationMin = std::chrono::seconds(5);

class LockKeeper {
 public:
  using LockTokens = google::protobuf::RepeatedPtrField<std::string>;

  // `client` outlives it.
  LockKeeper(Client& client, std::string entity_path);
  ~LockKeeper();
  LockKeeper(const LockKeeper&) = delete;
  LockKeeper& operator=(const LockKeeper&) = delete;

  // The lock was made, or renewed, just now. `lock_duration` is that of the entity.
  void Keep(const std::string& lock_token, Duration lock_duration);
  void Keep(const LockTokens& lock_tokens);
  void Forget(const LockTokens& lock_tokens);

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Token = std::array<char, 16>;

  void Run();
  // They let go of the lock while the broker is asked.
  void RenewOld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Renew(const std::vector<Token>& tokens) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<Token> OldTokens() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteRenewed(const v1::RenewLockResponse& renewed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Client& client_;
  const std::string entity_path_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  absl::flat_hash_map<Token, Time> locked_at_ ABSL_GUARDED_BY(mutex_);
  // That of the shortest locks so far.
  std::chrono::microseconds round_ ABSL_GUARDED_BY(mutex_);
  Time next_round_ ABSL_GUARDED_BY(mutex_) = Time::max();
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace wharf::client
