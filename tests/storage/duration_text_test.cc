#include "storage/base/duration_text.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Duration Parsed(std::string_view text) {
  const Result<Duration> duration = ParseDuration(text);
  EXPECT_TRUE(duration.ok()) << duration.status().ToString();
  return duration.ok() ? *duration : Duration(-1);
}

TEST(DurationTextTest, ReadsEveryUnit) {
  EXPECT_EQ(Parsed("2d"), hours(48));
  EXPECT_EQ(Parsed("3h"), hours(3));
  EXPECT_EQ(Parsed("5m"), minutes(5));
  EXPECT_EQ(Parsed("30s"), seconds(30));
  EXPECT_EQ(Parsed("250ms"), milliseconds(250));
  EXPECT_EQ(Parsed("7us"), microseconds(7));
  EXPECT_EQ(Parsed("2w"), hours(14 * 24));
  EXPECT_EQ(Parsed("5min"), minutes(5));
}

TEST(DurationTextTest, ReadsParts) {
  EXPECT_EQ(Parsed("1.5h"), minutes(90));
  EXPECT_EQ(Parsed("0.25s"), milliseconds(250));
  EXPECT_EQ(Parsed("1h1.5m"), seconds(3690));
  EXPECT_EQ(Parsed("0.0000001s"), microseconds(0));
  EXPECT_EQ(Parsed("1.000001s"), microseconds(1'000'001));
}

TEST(DurationTextTest, ReadsUnitsTogetherFromLargeToSmall) {
  EXPECT_EQ(Parsed("1h30m"), minutes(90));
  EXPECT_EQ(Parsed("1m500ms"), milliseconds(60'500));
}

TEST(DurationTextTest, RejectsNegative) {
  EXPECT_FALSE(ParseDuration("-5s").ok());
  EXPECT_FALSE(ParseDuration("1h-5s").ok());
}

TEST(DurationTextTest, RejectsWhatIsNotADuration) {
  for (const char* text : {"", "5", "s", "5x", "5 s", "1.5h30m", "1.h", ".5h", "1..5h", "1.5",
                           "30m1h", "1s1s", "1m1min", "never", "+5s"}) {
    EXPECT_EQ(ParseDuration(text).status().code(), ErrorCode::kArgumentError) << text;
  }
}

TEST(DurationTextTest, RejectsOverflow) {
  for (const char* text :
       {"99999999999999999999s", "18446744073709551615us", "106751992d",
        "106751991d99999999999999us", "315576000001s", "3652500.5d", "1000000000h"}) {
    const Status status = ParseDuration(text).status();
    EXPECT_NE(status.message().find("too long"), std::string::npos) << text;
  }
}

TEST(DurationTextTest, WritesWhatItReads) {
  for (const char* text : {"0s", "1d2h3m4s5ms6us", "1h30m", "250ms", "14d", "3652500d"}) {
    EXPECT_EQ(FormatDuration(Parsed(text)), text);
  }
}

TEST(DurationTextTest, RoundsForPeople) {
  EXPECT_EQ(RoundedDuration(2.5e-05), "25 us");
  EXPECT_EQ(RoundedDuration(0.0015), "1.5 ms");
  EXPECT_EQ(RoundedDuration(2.25), "2.25 s");
  EXPECT_EQ(RoundedDuration(0), "0 us");
}

}  // namespace
}  // namespace wharf
