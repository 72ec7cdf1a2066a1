// ManualAlarm: the alarm of a shard whose clock stands still.
//
// Time does not come by itself, so the alarm wakes the shard only for what is due already; for the
// rest the shard is woken by the call that advances the clock (AwaitDueRequest). Made by a
// leadership, used on the shard's thread.
#pragma once

#include <functional>

#include "broker/engine/shard.h"
#include "storage/base/clock.h"
#include "storage/base/executor.h"

namespace wharf {

class ManualAlarm final : public Alarm {
 public:
  ManualAlarm(Clock& clock, Executor& self) : clock_(clock), self_(self) {}

  // What the alarm calls; before the first Set.
  void WakeAtAlarm(std::function<void()> on_alarm);

  void Set(Timestamp time) override;

 private:
  Clock& clock_;
  Executor& self_;
  std::function<void()> on_alarm_;
  bool is_waking_ = false;
};

}  // namespace wharf
