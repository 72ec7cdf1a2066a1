// Clock: where the broker's time comes from. ManualClock is time that a test moves by hand.
#pragma once

#include <atomic>

#include "storage/base/time.h"

namespace wharf {

// Any thread may ask.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back.
  virtual Timestamp Now() = 0;
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_(start) {}

  Timestamp Now() override { return now_.load(); }
  void Advance(Duration span) { now_ = now_.load() + span; }

 private:
  std::atomic<Timestamp> now_;
};

}  // namespace wharf
