#include "tools/wharf/bench/stopwatch.h"

namespace wharf::tool {

using std::chrono::steady_clock;

Status Stopwatch::Start() {
  const Result<std::int64_t> syncs = Syncs();
  if (!syncs.ok()) return syncs.status();
  syncs_before_ = *syncs;
  begin_ = steady_clock::now();
  return Status::Ok();
}

Status Stopwatch::Stop(BenchReport& report) {
  report.elapsed = steady_clock::now() - begin_;
  const Result<std::int64_t> syncs = Syncs();
  if (!syncs.ok()) return syncs.status();
  report.syncs = static_cast<std::uint64_t>(*syncs - syncs_before_);
  return Status::Ok();
}

Result<std::int64_t> Stopwatch::Syncs() {
  const auto statistics = client_.management().GetBrokerStatistics();
  if (!statistics.ok()) return statistics.status();
  return statistics->sync_count();
}

}  // namespace wharf::tool
