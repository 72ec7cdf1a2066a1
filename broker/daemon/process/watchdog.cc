#include "broker/daemon/process/watchdog.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

namespace wharf {
namespace {

double SecondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Watchdog::Watchdog(Health& health, World world) : health_(health), world_(std::move(world)) {}

void Watchdog::Look() {
  const Duration disk = world_.disk_age();
  Judge(Ailment::kSlowDisk, disk >= kDiskMax,
        fmt::format("the disk has not answered for {:.1f} s, and everybody waits for it",
                    SecondsOf(disk)));
  const Duration turn = world_.turn_age();
  Judge(Ailment::kHungTurn, turn >= kTurnMax,
        fmt::format("one turn of the broker has taken {:.1f} s, and everybody waits for it",
                    SecondsOf(turn)));
  const DiskReport report = world_.disk();
  Judge(Ailment::kFullDisk, report.state == DiskState::kFull,
        fmt::format("sends are refused: {} bytes of the disk are free, and {} must be",
                    report.free_bytes, report.mark_bytes));
}

// The log comes last: if nobody reads it, that may be what is wrong. Of a full disk others have
// told it.
void Watchdog::Judge(Ailment ailment, bool is_ill, const std::string& why) {
  if (is_ill) {
    health_.Note(ailment, why);
  } else {
    health_.Heal(ailment);
  }
  const bool was_ill = std::exchange(was_ill_[static_cast<std::size_t>(ailment)], is_ill);
  if (is_ill == was_ill || ailment == Ailment::kFullDisk) return;
  if (is_ill) {
    spdlog::warn("{}", why);
  } else {
    spdlog::warn("{} is over: the broker goes on", NameOf(ailment));
  }
}

}  // namespace wharf
