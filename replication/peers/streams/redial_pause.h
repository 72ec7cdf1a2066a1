// RedialPause: how long to wait before a peer is dialled again: longer after each failure, and
// never in step with others.
#pragma once

#include <algorithm>

#include "storage/base/random.h"
#include "storage/base/time.h"

namespace wharf {

class RedialPause {
 public:
  struct Bounds {
    Duration first = std::chrono::milliseconds(100);
    Duration longest = std::chrono::seconds(5);
  };

  RedialPause(Bounds bounds, Random& random) : bounds_(bounds), random_(random) {}

  // Twice the one before, less up to a quarter of it by chance.
  Duration Next() {
    next_ = next_ == Duration() ? bounds_.first : std::min(next_ * 2, bounds_.longest);
    const auto jitter = static_cast<std::uint64_t>(next_.count() / 4);
    return next_ - Duration(jitter == 0 ? 0 : static_cast<Duration::rep>(random_.Next() % jitter));
  }
  // After a success the first one comes again.
  void Reset() { next_ = Duration(); }

 private:
  const Bounds bounds_;
  Random& random_;
  Duration next_{};
};

}  // namespace wharf
