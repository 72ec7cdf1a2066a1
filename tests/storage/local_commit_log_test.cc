// What only the log on a disk promises; the rest is in commit_log_contract_test.cc.

#include "storage/log/local_commit_log.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/storage/log_observer.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A log whose clock goes on by `step_` whenever it is read: a commit takes so long.
class LocalCommitLogTest : public ::testing::Test {
 protected:
  LocalCommitLogTest() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(said_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
  }
  ~LocalCommitLogTest() override { spdlog::set_default_logger(before_); }

  // What is logged of so many commits, one after the other.
  std::string SaidOf(int commits) {
    LocalCommitLog log(*store_, {.observer = observer_, .now = [this] { return now_ += step_; }});
    for (int i = 0; i < commits; ++i) {
      WriteBatch batch;
      batch.Put(0, "key", "value");
      EXPECT_TRUE(CommitAndWait(log, std::move(batch)).ok());
    }
    return said_.str();
  }

  const std::shared_ptr<spdlog::logger> before_;
  std::ostringstream said_;
  TempFolder folder_;
  LogObserver observer_;
  std::unique_ptr<RocksStore> store_ =
      RocksStore::Open({.path = folder_.path(), .tables = {{.name = "table"}}}).value();
  Duration now_{};
  Duration step_ = seconds(2);
};

TEST_F(LocalCommitLogTest, ASlowCommitIsLogged) {
  EXPECT_THAT(SaidOf(1), HasSubstr("a commit took 2.0 s: the disk is slow"));
}

TEST_F(LocalCommitLogTest, SlowCommitsDoNotFillTheLog) {
  const std::string said = SaidOf(3);

  EXPECT_THAT(said, HasSubstr("(and 1 more like it before)"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2);
}

TEST_F(LocalCommitLogTest, CommitsThatAreFastEnoughAreNot) {
  step_ = std::chrono::milliseconds(900);

  EXPECT_THAT(SaidOf(5), IsEmpty());
}

}  // namespace
}  // namespace wharf
