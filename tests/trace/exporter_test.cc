#include "broker/trace/exporter.h"

#include <condition_variable>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/trace/sample_span.h"

namespace wharf::trace {
namespace {

using ::testing::ElementsAre;

// Nothing leaves because of the time.
Exporter::Options Patient() { return {.pace = std::chrono::hours(1)}; }

std::unique_ptr<Random> Chance() { return std::make_unique<SeededRandom>(1); }

std::size_t SpansIn(const std::string& request) {
  return nlohmann::json::parse(request)["resourceSpans"][0]["scopeSpans"][0]["spans"].size();
}

TEST(ExporterTest, AFullBatchLeavesAtOnceAndTheRestAtTheEnd) {
  std::vector<std::size_t> sizes;
  std::promise<void> first;
  Exporter exporter(Patient(), Chance(), [&](const std::string& request, const auto&) {
    sizes.push_back(SpansIn(request));
    if (sizes.size() == 1) first.set_value();
    return Status::Ok();
  });

  for (int i = 0; i < 512; ++i) exporter.tracer().Push(SampleSpan());
  first.get_future().wait();
  exporter.tracer().Push(SampleSpan());
  exporter.Stop();

  EXPECT_THAT(sizes, ElementsAre(512, 1));
  EXPECT_EQ(exporter.tracer().counts().exported, 513u);
}

TEST(ExporterTest, WhatIsLessLeavesAfterAWhile) {
  std::promise<std::size_t> size;
  Exporter exporter({.pace = std::chrono::milliseconds(1)}, Chance(),
                    [&](const std::string& request, const auto&) {
                      size.set_value(SpansIn(request));
                      return Status::Ok();
                    });

  exporter.tracer().Push(SampleSpan());

  EXPECT_EQ(size.get_future().get(), 1u);
}

TEST(ExporterTest, ABatchThatFailsIsLostAndTheNextIsNot) {
  int attempts = 0;
  Exporter::Options options = Patient();
  options.limits.batch_spans_max = 2;
  Exporter exporter(options, Chance(), [&](const std::string&, const auto&) {
    return ++attempts == 1 ? Status(ErrorCode::kGeneralError, "nobody is there") : Status::Ok();
  });

  for (int i = 0; i < 3; ++i) exporter.tracer().Push(SampleSpan());
  exporter.Stop();

  EXPECT_EQ(exporter.tracer().counts().lost_on_the_way, 2u);
  EXPECT_EQ(exporter.tracer().counts().exported, 1u);
}

TEST(ExporterTest, AStopDoesNotWaitForWhoNeverAnswers) {
  Exporter::Options options = Patient();
  options.limits = {.bytes_max = 3 * BytesOf(SampleSpan()), .batch_spans_max = 1};
  options.grace = Duration(0);
  std::promise<void> called;
  Exporter exporter(options, Chance(), [&](const std::string&, const std::stop_token& hurry) {
    called.set_value();  // Once: what is left then is not even tried.
    std::promise<void> told;
    const std::stop_callback on_hurry(hurry, [&] { told.set_value(); });
    told.get_future().wait();
    return Status(ErrorCode::kServiceTimeout, "no answer");
  });
  exporter.tracer().Push(SampleSpan());
  called.get_future().wait();

  for (int i = 0; i < 5; ++i) exporter.tracer().Push(SampleSpan());
  exporter.Stop();

  EXPECT_EQ(exporter.tracer().counts().exported, 0u);
  EXPECT_EQ(exporter.tracer().counts().lost_on_the_way, 4u);
  EXPECT_EQ(exporter.tracer().counts().lost_for_room, 2u);
}

}  // namespace
}  // namespace wharf::trace
