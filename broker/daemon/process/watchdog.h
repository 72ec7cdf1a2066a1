// Watchdog: looks whether the disk answers and the shard works, and tells the broker's health.
//
// It asks for how long something is under way, and knows no clock itself. Made by the Daemon; Look
// is called at a fixed pace, on one thread.
#pragma once

#include <functional>
#include <string>

#include "broker/doors/common/health.h"
#include "storage/base/time.h"
#include "storage/disk/disk_gate.h"

namespace wharf {

class Watchdog {
 public:
  // Asked on the watchdog's thread; none of them waits for what it asks about.
  struct World {
    // For how long the disk has been at something that commits wait for; zero: they do not.
    std::function<Duration()> disk_age;
    // For how long the shard has been at one turn; zero: it waits for work.
    std::function<Duration()> turn_age;
    std::function<DiskReport()> disk;
  };

  // What takes longer hangs.
  static constexpr Duration kDiskMax = std::chrono::seconds(3);
  static constexpr Duration kTurnMax = std::chrono::seconds(3);

  Watchdog(Health& health, World world);

  void Look();

 private:
  // Says it in the log when it begins and when it is over.
  void Judge(Ailment ailment, bool is_ill, const std::string& why);

  Health& health_;
  const World world_;
  bool was_ill_[static_cast<std::size_t>(Ailment::kHungTurn) + 1] = {};
};

}  // namespace wharf
