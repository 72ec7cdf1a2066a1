#include "broker/config/reload.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/file_reading.h"

namespace wharf::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Sentences(const std::vector<Change>& changes, bool is_taken) {
  std::vector<std::string> sentences;
  for (const Change& change : changes) sentences.push_back(ToSentence(change, is_taken));
  return sentences;
}

TEST(ReloadTest, WhatIsTheSameIsNoChange) {
  const Reading next = ReadText("log-level = \"info\"\nmin-free-disk = \"65536KiB\"\n");

  const Reload reload = Compare({}, next.configuration);

  EXPECT_THAT(reload.taken, IsEmpty());
  EXPECT_THAT(reload.waiting, IsEmpty());
}

TEST(ReloadTest, WhatCanChangeIsTakenAndTheRestWaits) {
  const Reading next = ReadText("log-level = \"debug\"\nclock = \"manual\"\n");

  const Reload reload = Compare({}, next.configuration);

  EXPECT_EQ(reload.settings.log_level, "debug");
  EXPECT_EQ(reload.settings.clock, "system");
  EXPECT_THAT(Sentences(reload.taken, true),
              ElementsAre("log-level is now \"debug\", and was \"info\" (f:1)"));
  EXPECT_THAT(Sentences(reload.waiting, false),
              ElementsAre("clock waits for a restart: it will be \"manual\", and is \"system\" "
                          "(f:2)"));
}

TEST(ReloadTest, AKeyThatIsGoneIsItsDefaultAgain) {
  Settings running;
  running.limits.broker.entities_max = 5;

  const Reload reload = Compare(running, ReadText("").configuration);

  EXPECT_EQ(reload.settings.limits.broker.entities_max, 10'000u);
  EXPECT_THAT(Sentences(reload.taken, true),
              ElementsAre("max-entities is now 10000, and was 5 (default)"));
}

}  // namespace
}  // namespace wharf::config
