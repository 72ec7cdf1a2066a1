// Spans and instants as XML writes them.
#include "broker/doors/http/atom/xml_time.h"

#include <gtest/gtest.h>

namespace wharf::atom {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(DurationTest, IsReadAndWrittenTheSame) {
  const std::pair<const char*, Duration> all[] = {
      {"PT0S", Duration(0)},
      {"PT0.000001S", Duration(1)},
      {"PT30S", seconds(30)},
      {"PT1M", minutes(1)},
      {"PT10M0.5S", minutes(10) + milliseconds(500)},
      {"PT1H", hours(1)},
      {"P14D", hours(24 * 14)},
      {"P1DT2H3M4.05S", hours(26) + minutes(3) + milliseconds(4050)},
      {"P10675199DT2H48M4S",
       Duration(seconds(std::int64_t{10675199} * 86400 + 2 * 3600 + 48 * 60 + 4))},
      {"P10675199DT2H48M5.4775807S", kUnlimited},
  };
  for (const auto& [text, duration] : all) {
    EXPECT_EQ(*DurationFromXml("field", text), duration) << text;
    EXPECT_EQ(DurationToXml(duration), text);
  }
}

TEST(DurationTest, IsReadInOtherWords) {
  const std::pair<const char*, Duration> all[] = {
      {" PT60S\n", minutes(1)},
      {"PT90M", minutes(90)},
      {"P1Y", hours(24 * 365)},
      {"P1M", hours(24 * 30)},
      {"P1Y1M1D", hours(24 * 396)},
      {"P0Y0M1DT0H0M0S", hours(24)},
      {"PT1.9999999999S", Duration(1'999'999)},
      // What Python makes of "never", who rounds it, and takes a millionth off.
      {"P10675199DT2H48M5.47758S", kUnlimited},
      {"P10675199DT2H48M5.477581S", kUnlimited},
      {"P10675199DT2H48M5S", kUnlimited},
  };
  for (const auto& [text, duration] : all) {
    EXPECT_EQ(*DurationFromXml("field", text), duration) << text;
  }
}

TEST(DurationTest, WhatIsNoneIsRefused) {
  for (const char* text : {"",
                           "P",
                           "PT",
                           "1M",
                           "PT1",
                           "P1",
                           "PT1MM",
                           "PT1M1H",
                           "P1S",
                           "PT1D",
                           "PT1.S",
                           "PT.5S",
                           "PT1.5M",
                           "P1DT",
                           "PT-1S",
                           "+PT1S",
                           "pt1s",
                           "PT1S ago",
                           "P1T1S",
                           "00:01:00",
                           "PT1 S",
                           "P10675199DT2H48M6S",
                           "P10675200D",
                           "P99999999999999999999D",
                           "P9223372036854775807D",
                           "PT9223372036854775807S",
                           "P29248Y"}) {
    EXPECT_EQ(DurationFromXml("LockDuration", text).status().code(), ErrorCode::kArgumentError)
        << text;
  }
  EXPECT_EQ(DurationFromXml("LockDuration", "-PT1S").status().code(),
            ErrorCode::kArgumentOutOfRange);
  EXPECT_FALSE(DurationFromXml("LockDuration", "P" + std::string(100000, '1') + "D").ok());
}

TEST(SpanTest, MayBeNegative) {
  EXPECT_EQ(SpanFromXml("-P1DT0.5S"), (Nanotime{-86400, -500'000'000}));
  EXPECT_EQ(SpanToXml({-86400, -500'000'000}), "-P1DT0.5S");
  EXPECT_EQ(SpanToXml({0, 100}), "PT0.0000001S");
}

TEST(InstantTest, IsReadWithAnOffsetOrWithout) {
  const Nanotime time{1577934245, 0};
  for (const char* text : {"2020-01-02T03:04:05Z", "2020-01-02T03:04:05", " 2020-01-02 03:04:05 ",
                           "2020-01-02T05:04:05+02:00", "2020-01-01T21:34:05-05:30"}) {
    EXPECT_EQ(InstantFromXml(text), time) << text;
  }
  EXPECT_EQ(InstantFromXml("2020-01-02T03:04:05.678Z"), (Nanotime{1577934245, 678'000'000}));
  EXPECT_EQ(InstantToXml({1577934245, 678'000'000}), "2020-01-02T03:04:05.678Z");
  EXPECT_EQ(InstantToXml({-62135596800, 0}), "0001-01-01T00:00:00Z");
  EXPECT_EQ(InstantFromXml("0001-01-01T00:00:00Z"), (Nanotime{-62135596800, 0}));
  EXPECT_EQ(InstantFromXml("9999-12-31T23:59:59Z"), (Nanotime{253402300799, 0}));
  EXPECT_EQ(TimeToXml(Timestamp(seconds(1577934245)) + milliseconds(5)),
            "2020-01-02T03:04:05.005Z");
}

TEST(InstantTest, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "2020", "2020-01-02", "2020-13-02T03:04:05Z", "2020-02-30T03:04:05Z",
        "2020-01-02T24:04:05Z", "2020-01-02T03:60:05Z", "0000-01-02T03:04:05Z",
        "2020-01-02T03:04:05.Z", "2020-01-02T03:04:05+2:00", "2020-01-02T03:04:05+99:00",
        "2020-01-02T03:04:05ZZ", "20200102T030405Z", "-020-01-02T03:04:05Z"}) {
    EXPECT_EQ(InstantFromXml(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace wharf::atom
