#include "broker/engine/manual_alarm.h"

#include <utility>

namespace wharf {

void ManualAlarm::WakeAtAlarm(std::function<void()> on_alarm) { on_alarm_ = std::move(on_alarm); }

void ManualAlarm::Set(Timestamp time) {
  if (time > clock_.Now() || is_waking_) return;
  is_waking_ = true;
  self_.Post([this] {
    is_waking_ = false;
    on_alarm_();
  });
}

}  // namespace wharf
