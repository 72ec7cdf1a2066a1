#include "broker/requests/space_alarms.h"

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

void AddDisk(const DiskReport& disk, std::vector<SpaceAlarm>& alarms) {
  const std::uint64_t free = disk.free_bytes / kMegabyte;
  const std::uint64_t mark = disk.mark_bytes / kMegabyte;
  if (disk.state == DiskState::kFull) {
    alarms.push_back({kSpaceAlarms[1],
                      fmt::format("the disk has {} MB left: sends are refused below {} MB; receive "
                                  "or purge, or make room on the disk",
                                  free, mark)});
  } else if (disk.state == DiskState::kNearlyFull) {
    alarms.push_back({kSpaceAlarms[0],
                      fmt::format("the disk is nearly full: {} MB are left, and sends are refused "
                                  "below {} MB",
                                  free, mark)});
  }
}

void AddRequests(const BrokerMemory& memory, std::vector<SpaceAlarm>& alarms) {
  if (!memory.requests_are_near) return;
  alarms.push_back(
      {kSpaceAlarms[2],
       fmt::format("requests that wait for their answers take {} of {} MB; beyond "
                   "that callers hear ServiceBusy",
                   memory.request_bytes / kMegabyte, memory.request_bytes_max / kMegabyte)});
}

void AddNamespace(const NamespaceUse& use, std::vector<SpaceAlarm>& alarms) {
  if (!use.is_near) return;
  alarms.push_back(
      {kSpaceAlarms[3],
       fmt::format("all entities together have {} of {} MB (max-namespace-size); beyond that sends "
                   "are refused",
                   use.bytes / kMegabyte, use.bytes_max / kMegabyte)});
}

}  // namespace

std::vector<SpaceAlarm> SpaceAlarmsOf(const BrokerStatistics& statistics) {
  std::vector<SpaceAlarm> alarms;
  AddDisk(statistics.disk, alarms);
  AddRequests(statistics.memory, alarms);
  AddNamespace(statistics.name_space, alarms);
  return alarms;
}

}  // namespace wharf
