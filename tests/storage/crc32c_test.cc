#include "storage/base/crc32c.h"

#include <cstdint>
#include <string>
#include <string_view>

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

std::uint32_t ByteByByte(std::string_view bytes) {
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) crc = Crc32c(bytes.substr(at, 1), crc);
  return crc;
}

// Long ones are taken three parts at a time.
TEST(Crc32cTest, IsTheSameOfATextOfAnyLength) {
  std::string text;
  for (std::uint32_t i = 0; i < 20000; ++i) text += static_cast<char>(i * 2654435761U >> 13);

  const std::string_view whole(text);
  for (std::size_t size = 0; size < whole.size(); size += size % 3072 < 3060 ? 31 : 1) {
    const std::string_view part = whole.substr(whole.size() - size);
    ASSERT_EQ(Crc32c(part), ByteByByte(part)) << size;
  }
}

}  // namespace
}  // namespace wharf
