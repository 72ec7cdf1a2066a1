#include "storage/segments/log_bound.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

// Entries 1 to 40 of about 100 bytes.
class LogBoundTest : public ::testing::Test {
 protected:
  LogBoundTest() {
    const SegmentLogOptions options = {.path = temp_.path() + "/log", .segment_bytes = 500};
    EXPECT_TRUE(SegmentLog::Make(options, {.random = random_}).ok());
    log_ = SegmentLog::Open(options, {.random = random_}).value();
    for (std::uint64_t index = 1; index <= 40; ++index) {
      const std::vector<LogEntry> entries = {
          {.index = index, .term = 1, .data = std::string(100 - SegmentRecord::kHeadBytes, 'x')}};
      EXPECT_TRUE(log_->Append(entries, std::nullopt).ok());
    }
    EXPECT_TRUE(log_->Sync().ok());
  }

  SegmentLog& log() { return *log_; }

 private:
  TempFolder temp_;
  SeededRandom random_{1};
  std::unique_ptr<SegmentLog> log_;
};

TEST_F(LogBoundTest, BytesAreThoseOfTheEntriesBehind) {
  EXPECT_EQ(log().BytesBehind(40), 0);
  EXPECT_EQ(log().BytesBehind(50), 0);
  EXPECT_GE(log().BytesBehind(39), 100);
  EXPECT_LE(log().BytesBehind(39), 200);
  EXPECT_GE(log().BytesBehind(20), 2000);
  EXPECT_LE(log().BytesBehind(20), 3500);
  EXPECT_LE(log().BytesBehind(0), log().stats().bytes);
  EXPECT_GE(log().BytesBehind(0), 4000);

  ASSERT_TRUE(log().CutUpTo(30).ok());
  EXPECT_EQ(log().BytesBehind(0), log().BytesBehind(log().start().index));
  EXPECT_LE(log().BytesBehind(0), 2500);
}

TEST_F(LogBoundTest, AFlushIsDueWhenMuchIsNotFlushed) {
  const LogBound bound = {.unflushed_bytes_max = 2000};
  EXPECT_TRUE(bound.IsFlushDue(log(), 0));
  EXPECT_TRUE(bound.IsFlushDue(log(), 15));
  EXPECT_FALSE(bound.IsFlushDue(log(), 30));
  EXPECT_FALSE(bound.IsFlushDue(log(), 40));
}

TEST_F(LogBoundTest, TheLogIsKeptForTheStateAndForFollowersButForTheseNotForEver) {
  const LogBound bound = {.kept_bytes_max = 2000};
  EXPECT_EQ(bound.CutIndex(log(), 35, 40), 35);
  EXPECT_EQ(bound.CutIndex(log(), 35, 32), 32);
  EXPECT_EQ(bound.CutIndex(log(), 5, 3), 5);
  // One that lacks too much costs those nothing that lack a little.
  const std::uint64_t cut = bound.CutIndex(log(), 35, 5);
  EXPECT_LE(log().BytesBehind(cut), 2000);
  EXPECT_GT(log().BytesBehind(cut - 1), 2000);
}

}  // namespace
}  // namespace wharf
