#include "tools/wharf/stats_command.h"

#include <fmt/core.h>

#include "tools/wharf/field_text.h"

namespace wharf::tool {
namespace {

// The bound of the bucket that `part` of all durations, counted from the shortest, reach into.
double BoundOf(const v1::DurationHistogram& histogram, double part) {
  std::int64_t below = 0;
  for (const auto& bucket : histogram.buckets()) {
    below += bucket.count();
    if (static_cast<double>(below) >= part * static_cast<double>(histogram.count())) {
      return bucket.at_most_seconds();
    }
  }
  return 0;
}

void PrintHistogram(Output& out, const v1::DurationHistogram& histogram) {
  if (histogram.count() == 0) return;
  out.Print("{}: {} times, p50 at most {} s, p99 at most {} s, {:.6f} s on average\n",
            histogram.name(), histogram.count(), BoundOf(histogram, 0.5), BoundOf(histogram, 0.99),
            histogram.sum_seconds() / static_cast<double>(histogram.count()));
}

ExitCode Stats(Program& program) {
  const auto statistics = program.client().management().GetBrokerStatistics();
  if (!statistics.ok()) return program.Fail(statistics.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*statistics));
  } else {
    v1::BrokerStatistics counters = *statistics;
    counters.clear_histograms();
    PrintFields(program.out, counters);
    for (const auto& histogram : statistics->histograms()) PrintHistogram(program.out, histogram);
  }
  return ExitCode::kOk;
}

}  // namespace

void AddStatsCommand(CLI::App& app, Program& program) {
  app.add_subcommand("stats", "Show what the broker has done since it started")
      ->callback([&program] { program.action = [&program] { return Stats(program); }; });
}

}  // namespace wharf::tool
