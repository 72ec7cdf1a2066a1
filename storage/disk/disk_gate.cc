#include "storage/disk/disk_gate.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

// What is planned takes its bytes twice: in the write-ahead log, and in a table when that is
// flushed.
constexpr std::uint64_t kTimesWritten = 2;
constexpr std::uint64_t kMegabyte = 1 << 20;

}  // namespace

Status DiskGate::CheckRoom() const {
  if (has_room()) return {};
  const DiskReport at_last = report();
  return {ErrorCode::kQuotaExceeded,
          fmt::format("the disk has {} MB left, sends are refused below {} MB; receive or purge "
                      "messages, or make room on the disk",
                      at_last.free_bytes / kMegabyte, at_last.mark_bytes / kMegabyte)};
}

// What was planned and is not written yet is not in `free_bytes`, so it counts from what was
// written.
void DiskGate::Set(const DiskReport& report, std::uint64_t written_bytes) {
  const bool is_full = report.state == DiskState::kFull || report.free_bytes < report.mark_bytes;
  const std::uint64_t room = is_full ? 0 : report.free_bytes - report.mark_bytes;
  {
    MutexLock lock(mutex_);
    report_ = report;
  }
  planned_bytes_max_ = is_full ? 0 : written_bytes + room / kTimesWritten;
}

DiskReport DiskGate::report() const {
  MutexLock lock(mutex_);
  DiskReport report = report_;
  const std::uint64_t planned = planned_bytes_;
  const std::uint64_t planned_max = planned_bytes_max_;
  if (planned < planned_max || report.state == DiskState::kFull) return report;
  report.state = DiskState::kFull;
  const std::uint64_t beyond = (planned - planned_max) * kTimesWritten;
  report.free_bytes = report.mark_bytes - std::min(report.mark_bytes, beyond);
  return report;
}

}  // namespace wharf
