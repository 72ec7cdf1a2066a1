#include "broker/doors/http/metrics.h"

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/broker_metrics.h"
#include "broker/doors/http/entity_metrics.h"
#include "broker/doors/http/metric_text.h"

namespace wharf {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Format = MetricText::Format;

constexpr Metric kOrders{"orders_total", MetricType::kCounter, "Orders"};

std::string TextOf(Format format) {
  MetricText text(format);
  text.One(kOrders, std::int64_t{7});
  text.End();
  return text.Take();
}

TEST(MetricTextTest, TheFormatsDifferInTheNameOfACounterAndInTheirEnd) {
  EXPECT_EQ(TextOf(Format::kPrometheus),
            "# HELP orders_total Orders.\n# TYPE orders_total counter\norders_total 7\n");
  EXPECT_EQ(TextOf(Format::kOpenMetrics),
            "# HELP orders Orders.\n# TYPE orders counter\norders_total 7\n# EOF\n");
}

TEST(MetricTextTest, WhoKnowsOpenMetricsGetsIt) {
  EXPECT_EQ(MetricText::FormatFor(""), Format::kPrometheus);
  EXPECT_EQ(MetricText::FormatFor("*/*"), Format::kPrometheus);
  EXPECT_EQ(MetricText::FormatFor("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"),
            Format::kOpenMetrics);
}

TEST(MetricTextTest, ABucketCountsAllThatTookNoLonger) {
  Latency latency;
  latency.Note(Duration(10));
  latency.Note(Duration(20), 3);
  latency.Note(std::chrono::minutes(1));
  MetricText text(Format::kPrometheus);
  text.Begin({"wait_seconds", MetricType::kHistogram, "Waits"});
  text.Add("", latency.Read());

  EXPECT_THAT(text.Take(), AllOf(HasSubstr("\nwait_seconds_bucket{le=\"1e-05\"} 1\n"),
                                 HasSubstr("\nwait_seconds_bucket{le=\"2.5e-05\"} 4\n"),
                                 HasSubstr("\nwait_seconds_bucket{le=\"10\"} 4\n"),
                                 HasSubstr("\nwait_seconds_bucket{le=\"+Inf\"} 5\n"),
                                 HasSubstr("\nwait_seconds_sum 60.00007\n"),
                                 EndsWith("\nwait_seconds_count 5\n")));
}

// Canonical numbers of its text format.
TEST(MetricTextTest, OpenMetricsWritesABoundWithAPoint) {
  MetricText text(Format::kOpenMetrics);
  text.Begin({"wait_seconds", MetricType::kHistogram, "Waits"});
  text.Add("", Latency().Read());

  EXPECT_THAT(text.Take(), AllOf(HasSubstr("{le=\"1e-05\"}"), HasSubstr("{le=\"0.25\"}"),
                                 HasSubstr("{le=\"1.0\"}"), HasSubstr("{le=\"10.0\"}"),
                                 HasSubstr("{le=\"+Inf\"}"), Not(HasSubstr("{le=\"10\"}"))));
}

TEST(MetricTextTest, AHistogramHasTheBoundsItWasMadeWith) {
  Latency wait(Latency::kWaitBounds);
  wait.Note(std::chrono::hours(2));
  MetricText text(Format::kPrometheus);
  text.Begin({"wait_seconds", MetricType::kHistogram, "Waits"});
  text.Add("", wait.Read());

  EXPECT_THAT(text.Take(), AllOf(HasSubstr("\nwait_seconds_bucket{le=\"3600\"} 0\n"),
                                 HasSubstr("\nwait_seconds_bucket{le=\"21600\"} 1\n")));
}

TEST(MetricTextTest, TheLabelsOfAHistogramStandBeforeItsBounds) {
  Latency latency;
  latency.Note(Duration(10));
  MetricText text(Format::kPrometheus);
  text.Begin({"wait_seconds", MetricType::kHistogram, "Waits"});
  text.Add("entity=\"a\"", latency.Read());

  EXPECT_THAT(text.Take(), AllOf(HasSubstr("\nwait_seconds_bucket{entity=\"a\",le=\"1e-05\"} 1\n"),
                                 HasSubstr("\nwait_seconds_bucket{entity=\"a\",le=\"+Inf\"} 1\n"),
                                 HasSubstr("\nwait_seconds_sum{entity=\"a\"} 1e-05\n"),
                                 EndsWith("\nwait_seconds_count{entity=\"a\"} 1\n")));
}

TEST(MetricTextTest, WhatIsInALabelCannotEndIt) {
  EXPECT_EQ(LabelText("a", "x\"} 1\n\\"), "a=\"x\\\"} 1\\n\\\\\"");
}

LaneCounters CountersOf(std::int64_t fresh) {
  LaneCounters counters;
  counters.fresh = fresh;
  counters.bytes = 10 * fresh;
  counters.next_number = SequenceNumber(static_cast<std::uint64_t>(fresh) + 1);
  return counters;
}

std::string Everything(const EntityNumbers& numbers, Format format = Format::kPrometheus) {
  EntityMetrics metrics(numbers);
  MetricText text(format);
  std::string all;
  while (metrics.WriteSome(text)) {
    EXPECT_LE(text.size(), 80u * 1024);
    all += text.Take();
  }
  return all;
}

TEST(EntityMetricsTest, EachEntityHasItsNumbers) {
  EntityNumbers numbers;
  numbers.Add(EntityId(1), "orders");
  numbers.Note({EntityId(1), LaneKind::kMain}, CountersOf(5));
  numbers.Note({EntityId(1), LaneKind::kDeadLetter}, CountersOf(2));

  EXPECT_THAT(
      Everything(numbers),
      AllOf(HasSubstr("\nwharf_entity_messages{entity=\"orders\",state=\"available\"} 5\n"),
            HasSubstr("\nwharf_entity_messages{entity=\"orders\",state=\"dead_lettered\"} 2\n"),
            HasSubstr("\nwharf_entity_bytes{entity=\"orders\"} 70\n"),
            HasSubstr("\nwharf_entity_numbered_messages_total{entity=\"orders\"} 5\n"),
            EndsWith("\nwharf_entities_unlisted 0\n")));
}

// The name of each metric that is described, in order.
std::vector<std::string> FamiliesIn(const std::string& text) {
  std::vector<std::string> families;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash;
    std::string what;
    std::string name;
    words >> hash >> what >> name;
    if (what == "TYPE") families.push_back(name);
  }
  return families;
}

// A counter lost its _total, and had the name of a gauge then.
TEST(EntityMetricsTest, NoTwoMetricsHaveOneNameInEitherFormat) {
  for (const Format format : {Format::kPrometheus, Format::kOpenMetrics}) {
    MetricText text(format);
    Write(BrokerStatistics(), text);
    Write(ProcessStatistics(), text);
    Write(Health(), text);
    WriteHttpConnections(1, text);
    EntityNumbers numbers;
    numbers.Add(EntityId(1), "orders");

    const std::vector<std::string> families = FamiliesIn(text.Take() + Everything(numbers, format));

    const std::set<std::string> unique(families.begin(), families.end());
    EXPECT_GT(families.size(), 40u);
    EXPECT_EQ(families.size(), unique.size());
  }
}

TEST(EntityMetricsTest, TheOldestMessageIsToldWhereItIsKnown) {
  EntityNumbers numbers;
  numbers.Add(EntityId(1), "orders");
  EXPECT_THAT(Everything(numbers),
              Not(HasSubstr("wharf_entity_oldest_available_timestamp_seconds{")));

  numbers.NoteOldest(EntityId(1), Timestamp(std::chrono::milliseconds(1'700'000'000'500)));
  EXPECT_THAT(Everything(numbers),
              HasSubstr("\nwharf_entity_oldest_available_timestamp_seconds{entity=\"orders\"} "
                        "1700000000.5\n"));

  numbers.NoteOldest(EntityId(1), std::nullopt);
  EXPECT_THAT(Everything(numbers),
              Not(HasSubstr("wharf_entity_oldest_available_timestamp_seconds{")));
}

TEST(EntityMetricsTest, WhatIsGoneIsGoneAndItsNameMayComeAgain) {
  EntityNumbers numbers;
  numbers.Add(EntityId(1), "orders");
  numbers.Add(EntityId(2), "bills");
  numbers.Remove(EntityId(1));
  numbers.Note({EntityId(1), LaneKind::kMain}, CountersOf(5));
  EXPECT_THAT(Everything(numbers), Not(HasSubstr("orders")));

  numbers.Add(EntityId(3), "orders");
  numbers.Remove(EntityId(1));
  EXPECT_THAT(Everything(numbers), HasSubstr("{entity=\"orders\",state=\"available\"} 0\n"));
}

TEST(EntityMetricsTest, AMetricIsDescribedOnceAndItsLinesStandTogether) {
  EntityNumbers numbers;
  for (int i = 0; i < 3000; ++i) numbers.Add(EntityId(i + 1), fmt::format("queue-{:05}", i));

  const std::string all = Everything(numbers);

  const std::string described = "# TYPE wharf_entity_messages gauge\n";
  EXPECT_EQ(all.find(described), all.rfind(described));
  EXPECT_LT(all.rfind("wharf_entity_messages{"), all.find("# HELP wharf_entity_bytes"));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 3000 * 10 + 2 * 6 + 1);
}

TEST(EntityMetricsTest, TenThousandEntitiesHaveRoomAndTheLongestNamesABound) {
  EntityNumbers usual;
  EntityNumbers longest;
  for (int i = 0; i < 10'000; ++i) {
    usual.Add(EntityId(i + 1), fmt::format("department-of-many-queues/orders-{:05}", i));
    longest.Add(EntityId(i + 1), std::string(300, '"') + std::to_string(i));
  }

  EXPECT_THAT(Everything(usual), EndsWith("\nwharf_entities_unlisted 0\n"));
  EXPECT_LT(Everything(usual).size(), 16u << 20);
  const std::string bounded = Everything(longest);
  EXPECT_LT(bounded.size(), 32u << 20);  // No name has a quote; if all were quotes, twice as much.
  EXPECT_THAT(bounded, Not(EndsWith("\nwharf_entities_unlisted 0\n")));
}

TEST(MetricsTest, BeforeThereIsABrokerItTellsOfTheProcess) {
  const Health health;
  const StatisticsGate statistics;
  const GuardGate guard;
  Router router;
  AddMetrics(router, {health, statistics, guard, nullptr, [] { return 3; }});

  HttpResponse response = router.Answer({.method = "GET", .path = "/metrics"});

  EXPECT_EQ(response.type, "text/plain; version=0.0.4; charset=utf-8");
  const std::string text = response.pieces();
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("\nwharf_ready 0\n"), HasSubstr("\nwharf_ailment{cause=\"starting\"} 1\n"),
            HasSubstr("\nwharf_insecure 0\n"), HasSubstr("\nprocess_resident_memory_bytes "),
            HasSubstr("\nwharf_http_open_connections 3\n"), Not(HasSubstr("wharf_entities"))));
  EXPECT_EQ(response.pieces(), "");
}

TEST(MetricsTest, NotMoreThanAFewAreMadeAtATime) {
  const Health health;
  const StatisticsGate statistics;
  const GuardGate guard;
  Router router;
  AddMetrics(router, {health, statistics, guard, nullptr, [] { return 3; }});
  std::vector<HttpResponse> under_way;
  const auto ask = [&] { return router.Answer({.method = "GET", .path = "/metrics"}); };
  for (int i = 0; i < 4; ++i) under_way.push_back(ask());
  EXPECT_EQ(under_way.back().status, 200u);

  EXPECT_EQ(ask().status, 503u);

  under_way.pop_back();
  EXPECT_EQ(ask().status, 200u);
}

TEST(MetricsTest, WhoReadsForLongGoesWhenAnotherAsks) {
  const Health health;
  const StatisticsGate statistics;
  const GuardGate guard;
  Duration now = std::chrono::hours(1);
  Router router;
  AddMetrics(router,
             {health, statistics, guard, nullptr, [] { return 3; }, [&now] { return now; }});
  std::vector<int> cut_off;
  std::vector<HttpResponse> under_way;
  const auto ask = [&](int name) {
    under_way.push_back(router.Answer({.method = "GET",
                                       .path = "/metrics",
                                       .cut_off = [&cut_off, name] { cut_off.push_back(name); }}));
    return under_way.back().status;
  };
  EXPECT_EQ(ask(1), 200u);
  now += std::chrono::seconds(5);
  for (const int name : {2, 3, 4}) EXPECT_EQ(ask(name), 200u);
  EXPECT_EQ(ask(5), 503u);
  EXPECT_THAT(cut_off, IsEmpty());

  now += std::chrono::seconds(5);

  EXPECT_EQ(ask(6), 200u);
  EXPECT_THAT(cut_off, ElementsAre(1));
  EXPECT_EQ(ask(7), 503u);
  under_way.erase(under_way.begin());  // Its place is another's.
  EXPECT_EQ(ask(8), 503u);
  now += std::chrono::seconds(5);
  EXPECT_EQ(ask(9), 200u);
  EXPECT_THAT(cut_off, ElementsAre(1, 2));
}

}  // namespace
}  // namespace wharf
