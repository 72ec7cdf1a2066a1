#include "broker/daemon/process/daemon_clock.h"

#include "storage/base/broker_clock.h"

namespace wharf {

DaemonClock MakeClock(bool is_manual, Timestamp last_committed) {
  const BrokerClock::Sources sources = BrokerClock::SystemSources();
  if (!is_manual) return {std::make_unique<BrokerClock>(sources, last_committed)};
  const bool is_first = last_committed == Timestamp();
  auto clock = std::make_unique<ManualClock>(is_first ? sources.wall() : last_committed);
  ManualClock* const manual = clock.get();
  return {std::move(clock), manual};
}

}  // namespace wharf
