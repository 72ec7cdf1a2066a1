// SignInPace: how often an address may try to sign in after it has failed.
//
// A few failures are free, then each makes the next try wait twice as long; a success, or time
// without a try, forgives. The table is bounded: when it is full, who failed longest ago is
// forgotten. Owned by the ConsoleDoor; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf::console {

class SignInPace {
 public:
  static constexpr std::size_t kAddressesMax = 10'000;
  static constexpr int kFreeFailures = 3;
  static constexpr Duration kWaitMin = std::chrono::seconds(1);
  static constexpr Duration kWaitMax = std::chrono::seconds(60);
  static constexpr Duration kForgottenAfter = std::chrono::minutes(15);

  // `now` never goes back.
  explicit SignInPace(std::function<Duration()> now) : now_(std::move(now)) {}

  // How long it must wait; zero: it may try now.
  Duration WaitOf(const std::string& peer) const;
  // `rule`: that it said it has a key of; empty: it said none.
  void NoteFailure(const std::string& peer, const std::string& rule);
  // Forgives if nothing else failed there than that rule: who has one key may guess at others.
  void NoteSuccess(const std::string& peer, const std::string& rule);

  std::size_t size() const;

 private:
  struct Entry {
    int failures = 0;
    // All of them; empty: several, or one that nobody named.
    std::string rule{};
    Duration failed_at{};
    Duration until{};
  };

  void MakeRoom(Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::function<Duration()> now_;
  mutable Mutex mutex_;
  // By the address without its port, of IPv6 by its network of 64 bits.
  std::map<std::string, Entry> failed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::console
