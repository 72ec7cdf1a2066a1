#include "tools/wharf/messages/message_source.h"

#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

namespace wharf::tool {
namespace {

using testing::ElementsAre;

class MessageSourceTest : public testing::Test {
 protected:
  MessageSourceTest() { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~MessageSourceTest() override {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }

  std::string path() const { return folder_ + "/input"; }

  Status Read(const std::string& input, MessageSource::Unit unit) {
    std::ofstream(path(), std::ios::binary) << input;
    return ReadFiles({path()}, unit);
  }

  Status ReadFiles(std::vector<std::string> files, MessageSource::Unit unit) {
    return ReadMessages({.bodies = given_, .files = std::move(files), .unit = unit}, base_,
                        interruption_, [this](v1::Message&& message) {
                          bodies_.push_back(message.body());
                          subjects_.push_back(message.subject());
                          return bodies_.size() < wanted_;
                        });
  }

  std::string folder_ = "/tmp/message-source-XXXXXX";
  Interruption interruption_;
  v1::Message base_;
  std::size_t wanted_ = 100;
  std::vector<std::string> given_;
  std::vector<std::string> bodies_;
  std::vector<std::string> subjects_;
};

TEST_F(MessageSourceTest, AFileIsOneMessage) {
  ASSERT_TRUE(Read("one\ntwo\n", MessageSource::Unit::kFile).ok());

  EXPECT_THAT(bodies_, ElementsAre("one\ntwo\n"));
}

TEST_F(MessageSourceTest, AFileMayBeLongerThanABlock) {
  for (const std::size_t size : {(1U << 20) - 1, 1U << 20, (3U << 20) + 5}) {
    std::string file(size, 'x');
    file.back() = '\0';
    bodies_.clear();

    ASSERT_TRUE(Read(file, MessageSource::Unit::kFile).ok());

    EXPECT_TRUE(bodies_ == std::vector{file}) << size;
  }
}

TEST_F(MessageSourceTest, EveryLineIsAMessageAlsoWithoutALastLineFeed) {
  base_.set_subject("all");

  ASSERT_TRUE(Read("one\n\ntwo", MessageSource::Unit::kLine).ok());

  EXPECT_THAT(bodies_, ElementsAre("one", "", "two"));
  EXPECT_THAT(subjects_, ElementsAre("all", "all", "all"));
}

TEST_F(MessageSourceTest, ABadLineOfJsonEndsItAndIsNamed) {
  const Status status = Read("{\"body\":\"one\"}\n{\"body\":2}\n{\"body\":\"three\"}\n",
                             MessageSource::Unit::kJsonLine);

  EXPECT_EQ(status.message(), path() + " line 2: body: the value must be a string");
  EXPECT_THAT(bodies_, ElementsAre("one"));
}

TEST_F(MessageSourceTest, ReadingEndsWhenNoMoreIsWanted) {
  wanted_ = 2;

  ASSERT_TRUE(Read("1\n2\n3\n", MessageSource::Unit::kLine).ok());

  EXPECT_THAT(bodies_, ElementsAre("1", "2"));
}

TEST_F(MessageSourceTest, ALineIsFoundAlsoWhereItIsLongerThanABlock) {
  const std::string line((3U << 20) + 5, 'x');

  ASSERT_TRUE(Read("a\n" + line + "\nb\n", MessageSource::Unit::kLine).ok());

  EXPECT_TRUE((bodies_ == std::vector<std::string>{"a", line, "b"}));
}

TEST_F(MessageSourceTest, TheCarriageReturnBeforeALineFeedIsNotPartOfTheLine) {
  ASSERT_TRUE(Read("one\r\n\r\nt\rwo\r\r\n", MessageSource::Unit::kLine).ok());

  EXPECT_THAT(bodies_, ElementsAre("one", "", "t\rwo\r"));
}

TEST_F(MessageSourceTest, AFileThatIsNotThereIsNamedBeforeAnythingIsSent) {
  given_ = {"first"};

  const Status status = ReadFiles({"/dev/null", "/does/not/exist"}, MessageSource::Unit::kFile);

  EXPECT_EQ(status.message(), "/does/not/exist cannot be read: No such file or directory");
  EXPECT_TRUE(bodies_.empty());
}

TEST_F(MessageSourceTest, ADirectoryIsNoMessage) {
  for (const auto unit :
       {MessageSource::Unit::kFile, MessageSource::Unit::kLine, MessageSource::Unit::kJsonLine}) {
    EXPECT_EQ(ReadFiles({"/tmp"}, unit).message(), "/tmp cannot be read: it is a directory");
  }
  EXPECT_TRUE(bodies_.empty());
}

TEST_F(MessageSourceTest, AFileThatFailsWhileItIsReadIsNoMessage) {
  const Status status = ReadFiles({"/proc/self/mem"}, MessageSource::Unit::kFile);

  EXPECT_EQ(status.message(), "/proc/self/mem cannot be read: Input/output error");
  EXPECT_TRUE(bodies_.empty());
}

TEST_F(MessageSourceTest, AnInterruptionEndsTheReadingOfAPipe) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  ASSERT_EQ(write(pipe[1], "one\ntw", 6), 6);
  wanted_ = 2;
  std::thread interrupt;
  Status status = ReadMessages({.bodies = {},
                                .files = {"/dev/fd/" + std::to_string(pipe[0])},
                                .unit = MessageSource::Unit::kLine},
                               base_, interruption_, [&](v1::Message&& message) {
                                 bodies_.push_back(message.body());
                                 interrupt = std::thread([&] { interruption_.Raise(); });
                                 return true;
                               });

  interrupt.join();
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(bodies_, ElementsAre("one"));  // The second was not complete.
  close(pipe[0]);
  close(pipe[1]);
}

}  // namespace
}  // namespace wharf::tool
