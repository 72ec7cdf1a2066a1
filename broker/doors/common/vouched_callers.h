// VouchedCallers: for whom one door of this daemon vouches at another, a call at a time.
//
// A call inside the daemon carries a handle of 256 random bits, which lives as long as the call and
// leaves the process never; behind it stands who asks. So nobody from outside can claim to be
// vouched for, and a call without a handle is one of a stranger. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "absl/base/thread_annotations.h"
#include "broker/access/access_key.h"
#include "broker/requests/caller.h"
#include "storage/base/mutex.h"

namespace wharf {

class VouchedCallers {
 public:
  using CallerPtr = std::shared_ptr<const Caller>;

  // Of one call; when it goes, so does what it vouches for. The table outlives it.
  class Handle {
   public:
    Handle(VouchedCallers& table, std::string text) : table_(table), text_(std::move(text)) {}
    ~Handle() { table_.Forget(text_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    const std::string& text() const { return text_; }

   private:
    VouchedCallers& table_;
    const std::string text_;
  };

  explicit VouchedCallers(access::KeySource source) : source_(std::move(source)) {}

  std::unique_ptr<Handle> Vouch(Caller caller);
  // Null: nobody vouches.
  CallerPtr Find(const std::string& handle) const;
  std::size_t size() const;

 private:
  void Forget(const std::string& handle);

  const access::KeySource source_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, CallerPtr> callers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
