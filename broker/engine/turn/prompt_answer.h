// PromptAnswer: an answer that may be there before the call that asked for it has returned.
//
// Who asked looks when its call has returned; who answers may come earlier, inside the call or on
// another thread, or later. Exactly one of the two goes on: the one that comes second. Shared by
// both; each calls its function once.
#pragma once

#include <atomic>
#include <utility>

#include "storage/base/status.h"

namespace wharf {

class PromptAnswer {
 public:
  // By who answers. Whether it has to go on, because who asked has left.
  bool Give(Status status) {
    status_ = std::move(status);
    return is_second_.exchange(true);
  }
  // By who asked. Whether it has to go on, because the answer is there.
  bool IsThere() { return is_second_.exchange(true); }
  // For the one that goes on.
  const Status& status() const { return status_; }

 private:
  std::atomic<bool> is_second_ = false;
  Status status_;
};

}  // namespace wharf
