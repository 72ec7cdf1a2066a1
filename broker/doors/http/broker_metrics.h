// BrokerMetrics: what /metrics tells of the process and of the broker as a whole. Pure functions.
#pragma once

#include <cstddef>

#include "broker/doors/common/certificates.h"
#include "broker/doors/common/console_statistics.h"
#include "broker/doors/common/health.h"
#include "broker/doors/http/metric_text.h"
#include "broker/requests/broker_statistics.h"

namespace wharf {

// What the system knows of this process.
struct ProcessStatistics {
  double cpu_seconds = 0;
  double start_seconds = 0;  // Since the epoch.
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t descriptors_max = 0;
};
ProcessStatistics ReadProcess();

void Write(const ProcessStatistics& process, MetricText& text);
void Write(const Health& health, MetricText& text);
void Write(const Certificates::Content& certificates, MetricText& text);
void WriteHttpConnections(std::size_t open, MetricText& text);
void Write(const ConsoleStatistics& console, MetricText& text);
void Write(const BrokerStatistics& statistics, MetricText& text);

}  // namespace wharf
