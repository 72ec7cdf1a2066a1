// TurnWatch: how long turns take, and for how long one is at work already.
//
// Told on the shard's thread; any thread may ask.
#pragma once

#include <utility>

#include "storage/base/latency.h"
#include "storage/base/time.h"
#include "storage/base/under_way.h"

namespace wharf {

class TurnWatch {
 public:
  using Now = UnderWay::Now;

  explicit TurnWatch(Now now) : now_(std::move(now)) {}

  // The shard works for as long as this exists.
  class Work {
   public:
    explicit Work(TurnWatch& watch) : watch_(watch), turn_(watch.turn_) {}
    ~Work() { watch_.lengths_.Note(watch_.now_() - began()); }
    Duration began() const { return turn_.began(); }

    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    TurnWatch& watch_;
    const UnderWay::Scope turn_;
  };

  // Zero: the shard waits for work.
  Duration age() const { return turn_.age(); }
  Latency::Snapshot lengths() const { return lengths_.Read(); }

 private:
  const Now now_;
  UnderWay turn_{now_};
  Latency lengths_;
};

}  // namespace wharf
