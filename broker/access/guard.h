// Guard: whom the broker lets do what, now: the book of the last commit, the wall clock, and the
// tokens that were proven before.
//
// Made by the daemon if access is on; doors prove tokens with it, requests are checked with it, and
// whoever holds a permit for long asks it again. The shard hands it each new book before anybody is
// answered. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "broker/access/book.h"
#include "broker/access/guard_statistics.h"
#include "broker/access/permit.h"
#include "broker/access/token_cache.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::access {

class Guard {
 public:
  using BookPtr = std::shared_ptr<const Book>;
  // Of the machine, also where the broker's own clock stands still.
  using WallClock = std::function<Timestamp()>;

  Guard(BookPtr book, WallClock wall) : wall_(std::move(wall)), book_(std::move(book)) {}

  void Publish(BookPtr book);
  BookPtr book() const;

  // What a token proves. Empty: there is none, which proves nothing.
  Result<PermitPtr> Prove(std::string_view token);
  // Whether it still holds; see proof.h. Null: nothing was proven.
  Status Check(const PermitPtr& permit) const;
  Status Check(const PermitPtr& permit, Right right, std::string_view path) const;

  // Counts a refusal and, at a bounded rate, writes it to the log: of whom is what is known of the
  // caller, with its tracking id.
  void NoteRefusal(const Status& refusal, const PermitPtr& permit, std::string_view peer,
                   std::string_view tracking_id);
  GuardStatistics statistics() const { return {unauthorized_, forbidden_}; }

 private:
  const WallClock wall_;
  TokenCache cache_{TokenCache::Limits()};
  std::atomic<std::uint64_t> unauthorized_ = 0;
  std::atomic<std::uint64_t> forbidden_ = 0;
  LogLimit log_limit_{std::chrono::seconds(1)};
  mutable Mutex mutex_;
  BookPtr book_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::access
