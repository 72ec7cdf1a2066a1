#include "tools/wharf/service/stats_command.h"

#include <cmath>
#include <string>

#include "storage/base/duration_text.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

// How long `part` of all took at most, counted from the shortest: the bound of the bucket that they
// reach into, which the last one has not.
std::string BoundOf(const v1::DurationHistogram& histogram, double part) {
  std::int64_t below = 0;
  double bound = 0;
  for (const auto& bucket : histogram.buckets()) {
    below += bucket.count();
    if (!std::isfinite(bucket.at_most_seconds())) break;
    bound = bucket.at_most_seconds();
    if (static_cast<double>(below) >= part * static_cast<double>(histogram.count())) {
      return "at most " + RoundedDuration(bound);
    }
  }
  return "more than " + RoundedDuration(bound);
}

void PrintHistogram(Output& out, const v1::DurationHistogram& histogram) {
  if (histogram.count() == 0) return;
  const double average = histogram.sum_seconds() / static_cast<double>(histogram.count());
  out.Print("{}: {} times, p50 {}, p99 {}, {} on average\n", histogram.name(), histogram.count(),
            BoundOf(histogram, 0.5), BoundOf(histogram, 0.99), RoundedDuration(average));
}

void PrintRequests(Output& out, const v1::HttpStatistics& http) {
  if (http.requests().empty()) return;
  out.Print("Requests over HTTP\n");
  Table table({{"ROUTE", Column::Kind::kWord},
               {"STATUS", Column::Kind::kWord},
               {"COUNT", Column::Kind::kNumber}},
              out);
  for (const auto& row : http.requests()) {
    table.Add({row.kind(), row.status(), std::to_string(row.count())});
  }
  table.End();
}

ExitCode Stats(Program& program) {
  const auto statistics = program.client().management().GetBrokerStatistics();
  if (!statistics.ok()) return program.Fail(statistics.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*statistics));
  } else {
    v1::BrokerStatistics counters = *statistics;
    counters.clear_histograms();
    // Each by itself stands in `wharf cluster status`.
    if (counters.has_cluster()) counters.mutable_cluster()->clear_members();
    if (counters.has_http()) counters.mutable_http()->clear_requests();
    PrintFields(program.out, counters);
    PrintRequests(program.out, statistics->http());
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
