#include "replication/core/core_message.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CoreMessageTest, ComesBackAsItWasWritten) {
  const std::string large(70'000, 'x');
  const SharedBytes bytes = EncodeCoreMessage({"words", {"one", "", large}});

  const auto message = DecodeCoreMessage(bytes);

  ASSERT_TRUE(message);
  EXPECT_EQ(message->words, "words");
  EXPECT_THAT(message->payloads, ElementsAre("one", "", large));
  EXPECT_THAT(DecodeCoreMessage(EncodeCoreMessage({"", {}}))->payloads, IsEmpty());
}

TEST(CoreMessageTest, PayloadsAreThereLongerThanTheMessage) {
  std::optional<CoreMessage> message;
  {
    const SharedBytes bytes = EncodeCoreMessage({"words", {std::string(1000, 'x')}});
    message = DecodeCoreMessage(bytes);
  }
  EXPECT_EQ(message->payloads[0], std::string(1000, 'x'));
}

// Wherever it ends but between two pieces, it is none.
TEST(CoreMessageTest, APartOfOneIsNone) {
  const std::string bytes = EncodeCoreMessage({"words", {"one", "two"}});
  const std::size_t behind_words = 4 + 5;
  const std::size_t behind_one = behind_words + 4 + 3;

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const bool is_between = size == behind_words || size == behind_one;
    EXPECT_EQ(DecodeCoreMessage(bytes.substr(0, size)).has_value(), is_between) << size;
  }
}

TEST(CoreMessageTest, ALengthBeyondItsEndIsNone) {
  EXPECT_FALSE(DecodeCoreMessage("\xFF\xFF\xFF\xFFwords"));
  EXPECT_FALSE(DecodeCoreMessage(EncodeCoreMessage({"words", {}}) + "\xFF\xFF\xFF\xFF"));
}

}  // namespace
}  // namespace wharf
