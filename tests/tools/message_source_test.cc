#include "tools/wharf/message_source.h"

#include <sstream>

#include <gmock/gmock.h>

namespace wharf::tool {
namespace {

using testing::ElementsAre;

class MessageSourceTest : public testing::Test {
 protected:
  Status Read(const std::string& input, MessageSource::Unit unit) {
    std::istringstream stream(input);
    return ReadMessagesFrom(stream, "input", unit, base_, [this](v1::Message&& message) {
      bodies_.push_back(message.body());
      subjects_.push_back(message.subject());
      return bodies_.size() < wanted_;
    });
  }

  v1::Message base_;
  std::size_t wanted_ = 100;
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

  EXPECT_EQ(status.message(), "input line 2: body: the value must be a string");
  EXPECT_THAT(bodies_, ElementsAre("one"));
}

TEST_F(MessageSourceTest, ReadingEndsWhenNoMoreIsWanted) {
  wanted_ = 2;

  ASSERT_TRUE(Read("1\n2\n3\n", MessageSource::Unit::kLine).ok());

  EXPECT_THAT(bodies_, ElementsAre("1", "2"));
}

TEST_F(MessageSourceTest, AFileThatIsNotThereIsNamed) {
  const Status status = ReadMessages({.bodies = {}, .files = {"/does/not/exist"}}, base_,
                                     [](v1::Message&&) { return true; });

  EXPECT_EQ(status.message(), "/does/not/exist cannot be read: No such file or directory");
}

}  // namespace
}  // namespace wharf::tool
