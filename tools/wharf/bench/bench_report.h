// BenchReport: what a measurement found, as text and as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/wharf/bench/histogram.h"
#include "tools/wharf/bench/process_usage.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {

struct BenchReport {
  // "acknowledged", "delivered": from the send of a message.
  struct Latency {
    std::string what;
    Histogram histogram;
  };

  std::string name;
  std::size_t body_size = 0;
  std::size_t connections = 0;
  std::size_t window = 0;
  std::uint64_t messages = 0;
  std::chrono::duration<double> elapsed{};
  std::uint64_t errors = 0;
  std::vector<Latency> latencies = {};
  // 0: there were none of this kind.
  double messages_per_request = 0;
  double messages_per_settlement = 0;
  // What the broker needed for it, where that is counted.
  std::optional<std::uint64_t> syncs = std::nullopt;
  // What the daemon used, where its process is known: the peak so far, and the bytes written
  // meanwhile.
  std::optional<ProcessUsage> usage = std::nullopt;

  double rate() const;
  // 0 if there were none.
  double messages_per_sync() const;
};

std::string ToText(const BenchReport& report);
Json ToJson(const BenchReport& report);

}  // namespace wharf::tool
