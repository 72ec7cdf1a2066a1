// Stopwatch: what passes between the begin and the end of a measurement: time, and the broker's
// fsyncs. Used on the main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "storage/base/status.h"
#include "tools/client/client.h"
#include "tools/wharf/bench/bench_report.h"

namespace wharf::tool {

class Stopwatch {
 public:
  explicit Stopwatch(const client::Target& address) : client_(address) {}

  Status Start();
  // Writes the time that passed, at once, and the fsyncs, as soon as the broker tells.
  Status Stop(BenchReport& report);

 private:
  Result<std::int64_t> Syncs();

  client::Client client_;
  std::int64_t syncs_before_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace wharf::tool
