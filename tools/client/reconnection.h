// Reconnection: when a program tries again, after the connection to its broker broke.
//
// The pauses between two tries grow from a tenth of a second to five seconds, until a try succeeds
// or the patience is over; where a broker answers that another one leads, to half a second. Used by
// ReconnectingSender and ReconnectingReceiver. One thread tries; any thread may interrupt.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::client {

class Client;

struct ReconnectOptions {
  // How long to try before giving up. Zero: a connection that breaks is the end; a node that does
  // not lead is left for who does for as long as kLeaderPatience all the same.
  Duration patience{};
  // Told once when the connection is lost, and once when the broker is reached again; by the
  // thread that tries.
  std::function<void(const Status& reason)> on_lost = nullptr;
  std::function<void()> on_back = nullptr;
};

class Reconnection {
 public:
  // `client` outlives it.
  Reconnection(Client& client, ReconnectOptions options);

  // Whether this says that another node leads, which is looked for also without patience.
  static bool IsElsewhere(const Status& status);
  // Whether this says that the broker stops or is elsewhere, or that the connection broke.
  static bool IsLost(const Status& status);
  // Whether the token lapsed that a stream was opened with: another stream gets a new one. A stream
  // that ends for that soon after it was opened was refused.
  static bool IsLapsed(const Status& status, std::chrono::steady_clock::time_point opened_at);

  bool is_wanted() const { return options_.patience > Duration(0); }
  bool is_wanted(const Status& reason) const { return is_wanted() || IsElsewhere(reason); }
  // Waits until it is time to try again, at most for `wait`, and tries. Whether the broker is
  // there; `reason` if the patience is over.
  Result<bool> TryAgain(const Status& reason, Duration wait);
  // The broker does what it is asked: the next loss is another one.
  void Succeeded();
  // Ends a wait, now and from now on, as if the patience were over. For a program that shall end.
  void Interrupt();

 private:
  using Time = std::chrono::steady_clock::time_point;

  // Those that call somebody let go of the lock meanwhile.
  void Begin(const Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsOver() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WaitForNextTry(Duration wait) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Try() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteBack() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Client& client_;
  const ReconnectOptions options_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Time> lost_at_ ABSL_GUARDED_BY(mutex_);
  bool is_back_told_ ABSL_GUARDED_BY(mutex_) = false;
  // As the last reason has it.
  Duration patience_ ABSL_GUARDED_BY(mutex_){};
  std::chrono::milliseconds pause_max_ ABSL_GUARDED_BY(mutex_){};
  std::chrono::milliseconds pause_ ABSL_GUARDED_BY(mutex_){};
  Time next_try_ ABSL_GUARDED_BY(mutex_);
  bool is_interrupted_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf::client
