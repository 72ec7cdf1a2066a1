// SpaceAlarms: which bounds of disk and memory are near, as the doors tell it.
//
// Read from the statistics; pure. The log tells of each when it begins: the disk's by the
// SpaceKeeper, that of requests by Admissions, that of the namespace by the NamespaceWatch.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "broker/requests/broker_statistics.h"

namespace wharf {

// All names that there are.
inline constexpr std::array<std::string_view, 4> kSpaceAlarms = {
    "disk_nearly_full", "disk_full", "requests_nearly_full", "namespace_nearly_full"};

struct SpaceAlarm {
  std::string_view name;
  // A sentence, with the numbers.
  std::string text;
};

// Those that are raised; one of the disk at most.
std::vector<SpaceAlarm> SpaceAlarmsOf(const BrokerStatistics& statistics);

}  // namespace wharf
