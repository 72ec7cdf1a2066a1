#include "tools/wharf/bench/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchReport Report() {
  return {.name = "send",
          .body_size = 1024,
          .connections = 4,
          .window = 256,
          .messages = 1000,
          .elapsed = std::chrono::seconds(2)};
}

TEST(BenchReportTest, MessagesPerFsyncAreShownAsTextAndAsJson) {
  BenchReport report = Report();
  report.syncs = 8;

  EXPECT_THAT(ToText(report), HasSubstr("  125.0 messages per fsync, 8 fsyncs\n"));
  EXPECT_EQ(ToJson(report)["fsyncs"], 8);
  EXPECT_EQ(ToJson(report)["messages_per_fsync"], 125.0);
}

TEST(BenchReportTest, NoFsyncIsNoDivision) {
  BenchReport report = Report();
  report.syncs = 0;

  EXPECT_EQ(ToJson(report)["messages_per_fsync"], 0);
}

TEST(BenchReportTest, WhatWasNotCountedIsNotShown) {
  EXPECT_THAT(ToText(Report()), Not(HasSubstr("fsync")));
  EXPECT_FALSE(ToJson(Report()).contains("messages_per_fsync"));
}

TEST(BenchReportTest, TheRateIsMessagesInTime) { EXPECT_EQ(Report().rate(), 500); }

}  // namespace
}  // namespace wharf::tool
