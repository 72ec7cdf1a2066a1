// Executor: a thread, or several, that work can be given to. Tests run it by hand.
#pragma once

#include "absl/functional/any_invocable.h"

namespace wharf {

using Work = absl::AnyInvocable<void() &&>;

class Executor {
 public:
  virtual ~Executor() = default;
  // From any thread; runs the work later, never inside the call.
  virtual void Post(Work work) = 0;
};

}  // namespace wharf
