// Interruption: the wish that the work ends, as a flag and as something that poll(2) wakes from.
//
// Raised once, by an InterruptWatcher; looked at by whatever waits: for input, for output, for the
// broker. Any thread may call.
#pragma once

#include <atomic>

namespace wharf::tool {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  void Raise();
  bool is_raised() const { return is_raised_; }
  // Readable from when it is raised on; -1, which poll(2) passes over, if there is none.
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
  std::atomic<bool> is_raised_ = false;
};

}  // namespace wharf::tool
