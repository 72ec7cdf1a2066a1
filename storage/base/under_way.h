// UnderWay: for how long something has been under way that takes long only where something is
// wrong: a sync, a turn.
//
// Begun and ended on the thread that does it; any thread may ask.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "storage/base/time.h"

namespace wharf {

class UnderWay {
 public:
  // Tells the time; whose does not matter, as long as it does not go back.
  using Now = std::function<Duration()>;

  explicit UnderWay(Now now) : now_(std::move(now)) {}

  // It is under way for as long as this exists.
  class Scope {
   public:
    explicit Scope(UnderWay& of) : of_(of), began_(of.now_()) { of_.began_ = began_.count(); }
    ~Scope() { of_.began_ = kIdle; }
    Duration began() const { return began_; }

    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    UnderWay& of_;
    const Duration began_;
  };

  // Zero: nothing is.
  Duration age() const {
    const Duration::rep began = began_;
    return began == kIdle ? Duration(0) : now_() - Duration(began);
  }

 private:
  static constexpr Duration::rep kIdle = -1;

  const Now now_;
  std::atomic<Duration::rep> began_ = kIdle;
};

}  // namespace wharf
