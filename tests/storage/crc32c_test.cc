#include "storage/base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

// RFC 3720, B.4.
TEST(Crc32cTest, IsThatOfTheStandard) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Crc32cTest, GoesOnWhereItWasBroken) {
  const std::string text = "a sentence that is cut in two at each of its letters";

  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string_view whole(text);
    EXPECT_EQ(Crc32c(whole.substr(cut), Crc32c(whole.substr(0, cut))), Crc32c(whole)) << cut;
  }
}

}  // namespace
}  // namespace wharf
