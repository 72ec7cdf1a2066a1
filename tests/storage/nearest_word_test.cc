#include "storage/base/nearest_word.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

std::string Suggested(std::string_view word) {
  static const std::vector<std::string> kCommands = {"queue",   "topic",  "send",  "receive",
                                                     "session", "settle", "purge", "peek"};
  return Nearest(word, kCommands).value_or("");
}

TEST(NearestWordTest, ForgivesASlipOfTheFinger) {
  EXPECT_EQ(Suggested("sned"), "send");
  EXPECT_EQ(Suggested("recieve"), "receive");
  EXPECT_EQ(Suggested("queu"), "queue");
  EXPECT_EQ(Suggested("queues"), "queue");
  EXPECT_EQ(Suggested("pekk"), "peek");
}

TEST(NearestWordTest, KnowsABeginning) {
  EXPECT_EQ(Suggested("rec"), "receive");
  EXPECT_EQ(Suggested("sess"), "session");
}

TEST(NearestWordTest, DoesNotGuessWildly) {
  EXPECT_EQ(Suggested("consume"), "");
  EXPECT_EQ(Suggested("x"), "");
  EXPECT_EQ(Suggested(""), "");
  EXPECT_EQ(Suggested(std::string(1 << 20, 's')), "");
}

}  // namespace
}  // namespace wharf
