#include "tools/wharf/text/moment.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(MomentTest, IsATimeOrADistanceFromNow) {
  EXPECT_EQ(ParseMoment("1970-01-01T00:01:30Z")->time.seconds(), 90);
  EXPECT_FALSE(ParseMoment("1970-01-01T00:01:30Z")->from_now.has_value());
  EXPECT_EQ(ParseMoment("+1m30s")->from_now, std::chrono::seconds(90));
  EXPECT_EQ(ParseMoment("-2h")->from_now, -std::chrono::hours(2));
}

TEST(MomentTest, WithoutAZoneItIsLocal) {
  setenv("TZ", "CET-1", 1);
  tzset();

  EXPECT_EQ(ParseMoment("1970-01-01T01:01:30")->time.seconds(), 90);
  EXPECT_EQ(ParseMoment("1970-01-01 01:02")->time.seconds(), 120);
  EXPECT_EQ(ParseMoment("1970-01-01T01:01:30+01:00")->time.seconds(), 90);

  unsetenv("TZ");
  tzset();
}

TEST(MomentTest, AnythingElseIsRefused) {
  for (const char* text : {"", "tomorrow", "+", "-", "+soon", "30s", "++1s", "2026-01-31",
                           "2026-01-31T25:00", "2026-01-31T12:00:00 CET"}) {
    EXPECT_EQ(ParseMoment(text).status().code(), ErrorCode::kArgumentError) << text;
  }
}

}  // namespace
}  // namespace wharf::tool
