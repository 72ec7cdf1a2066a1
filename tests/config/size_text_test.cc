#include "broker/config/size_text.h"

#include <gtest/gtest.h>

namespace wharf::config {
namespace {

TEST(SizeTextTest, ReadsEveryUnit) {
  EXPECT_EQ(ParseSize("0B"), 0u);
  EXPECT_EQ(ParseSize("7B"), 7u);
  EXPECT_EQ(ParseSize("7KiB"), 7u << 10);
  EXPECT_EQ(ParseSize("64MiB"), 64u << 20);
  EXPECT_EQ(ParseSize("3GiB"), 3ULL << 30);
  EXPECT_EQ(ParseSize("2TiB"), 2ULL << 40);
}

TEST(SizeTextTest, RefusesWhatCouldMeanTwoThings) {
  for (const char* text : {"", "64", "64MB", "64M", "64mib", "64 MiB", " 64MiB", "64MiB ", "-1MiB",
                           "+1MiB", "1.5GiB", "MiB", "0x10B", "1MiB1KiB", "1,000B"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(SizeTextTest, RefusesMoreThan64Bits) {
  EXPECT_EQ(ParseSize("18446744073709551615B"), ~0ULL);
  EXPECT_EQ(ParseSize("18446744073709551616B"), std::nullopt);
  EXPECT_EQ(ParseSize("16777216TiB"), std::nullopt);
}

TEST(SizeTextTest, WritesWhatItReadsBack) {
  EXPECT_EQ(FormatSize(0), "0B");
  EXPECT_EQ(FormatSize(1024), "1KiB");
  EXPECT_EQ(FormatSize(1025), "1025B");
  EXPECT_EQ(FormatSize(64 << 20), "64MiB");
  for (const std::uint64_t bytes : {1ULL, 1ULL << 20, (1ULL << 40) + 1, ~0ULL, 1ULL << 63}) {
    EXPECT_EQ(ParseSize(FormatSize(bytes)), bytes);
  }
}

}  // namespace
}  // namespace wharf::config
