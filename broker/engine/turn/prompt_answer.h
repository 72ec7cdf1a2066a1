// PromptAnswer: an answer that may be there before the call that asked for it has returned.
//
// The asker looks when its call has returned; the answer may come earlier, inside the call or on
// another thread, or later. Exactly one of the two goes on: the one that comes second. Shared by
// both; each calls its function once.
#pragma once

#include <atomic>
#include <utility>

#include "storage/base/status.h"

namespace wharf {

class PromptAnswer {
 public:
  // By the side that answers. Whether it has to go on, because the asker has left.
  bool Give(Status status) {
    status_ = std::move(status);
    return is_second_.exchange(true);
  }
  // By the asker. Whether it has to go on, because the answer is there.
  bool IsThere() { return is_second_.exchange(true); }
  // For the one that goes on.
  const Status& status() const { return status_; }

 private:
  std::atomic<bool> is_second_ = false;
  Status status_;
};

}  // namespace wharf
