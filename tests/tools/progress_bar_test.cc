#include "tools/wharf/terminal/progress_bar.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using std::chrono::seconds;

TEST(ProgressBarTest, ShowsShareCountAndRate) {
  EXPECT_EQ(RenderProgress(1'000, 4'000, seconds(2)),
            "[=======>                      ] 25%  1,000/4,000  500/s");
}

TEST(ProgressBarTest, IsFullAtTheEndAndNotBeyond) {
  EXPECT_EQ(RenderProgress(5, 4, seconds(1)), "[==============================] 100%  5/4  5/s");
}

TEST(ProgressBarTest, WithoutATotalThereIsNoBar) {
  EXPECT_EQ(RenderProgress(1'234'567, std::nullopt, seconds(1)), "1,234,567  1,234,567/s");
}

TEST(ProgressBarTest, ThousandsAreSeparated) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1'000), "1,000");
}

}  // namespace
}  // namespace wharf::tool
