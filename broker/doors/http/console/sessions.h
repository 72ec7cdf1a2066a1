// Sessions: who is signed in to the console: of each random id what its holder has proven.
//
// An id is 256 random bits; here stands only its digest, and never a key. A session ends when
// nobody has used it for 15 minutes, when its holder signs out, with the key or the rule that it
// was begun by, and with the time of leading of this node. Owned by the ConsoleDoor; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "broker/access/access_key.h"
#include "broker/access/permit.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::console {

class Sessions {
 public:
  struct Limits {
    // Then the one ends that rests longest of the owner who has most.
    std::size_t sessions_max = 10'000;
    // Of one rule, or of one client that others vouch for; then the one that rests longest ends.
    std::size_t sessions_of_one_max = 1'000;
    Duration idle_max = std::chrono::minutes(15);
  };

  // `now` never goes back.
  Sessions(const Limits& limits, access::KeySource source, std::function<Duration()> now);

  // The id of a new one. ServiceBusy: there are too many, each of another owner.
  Result<std::string> Begin(access::PermitPtr permit);
  // Null: there is none of that id, or not any more. It is used now.
  access::PermitPtr Find(std::string_view id);
  void End(std::string_view id);
  void EndAll();
  // Those that rest too long, and whose permits hold no more.
  void Sweep(absl::FunctionRef<bool(const access::PermitPtr& permit)> holds);

  std::size_t size() const;
  const Limits& limits() const { return limits_; }

 private:
  struct Session {
    access::PermitPtr permit;
    Duration used_at;
  };
  using All = std::map<access::KeyPrint, Session>;

  bool IsOver(const Session& session, Duration now) const {
    return now - session.used_at >= limits_.idle_max;
  }
  void EndResting(Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes a place where somebody has several, so that few owners cannot keep all others out.
  void EndOldestOfMost() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes a place among those of the same owner.
  void EndOldestOf(const access::Permit& owner) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Limits limits_;
  const access::KeySource source_;
  const std::function<Duration()> now_;
  mutable Mutex mutex_;
  All all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::console
