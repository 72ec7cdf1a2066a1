#include "tools/wharf/text/lock_token_text.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(LockTokenTextTest, ReadsWhatItWrites) {
  const std::string bytes(
      "\x00\x01\xfe\xff"
      "0123456789ab",
      16);

  const Result<std::string> read = ParseLockToken(FormatLockToken(bytes));

  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, bytes);
}

TEST(LockTokenTextTest, DashesAsInAUuidAreSkipped) {
  EXPECT_TRUE(ParseLockToken("00112233-4455-6677-8899-aabbccddeeff").ok());
}

TEST(LockTokenTextTest, RejectsOtherText) {
  for (const char* text :
       {"", "0011", "zz112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeff00"}) {
    EXPECT_EQ(ParseLockToken(text).status().code(), ErrorCode::kArgumentError) << text;
  }
}

}  // namespace
}  // namespace wharf::tool
