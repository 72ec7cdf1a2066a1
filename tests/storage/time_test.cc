#include "storage/base/time.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

TEST(TimeTest, IsPrintedAsADate) {
  EXPECT_EQ(ToString(Timestamp(microseconds(1))), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(ToString(Timestamp(microseconds(-1))), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(ToString(kNever), "never");
}

// Where a clock of nanoseconds has none.
TEST(TimeTest, HasDatesBehind2262) {
  EXPECT_EQ(ToString(Timestamp(seconds(10'413'792'000))), "2300-01-01T00:00:00.000000Z");
}

TEST(TimeTest, IsNeverBehindItsEnd) {
  EXPECT_EQ(After(Timestamp(seconds(1)), kUnlimited), kNever);
  EXPECT_EQ(After(Timestamp(seconds(1)), seconds(1)), Timestamp(seconds(2)));
}

}  // namespace
}  // namespace wharf
