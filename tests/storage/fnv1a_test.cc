// Buckets and partitions on disk follow from it: other values are another format.

#include "storage/base/fnv1a.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

// From its authors' list (draft-eastlake-fnv, appendix C).
TEST(Fnv1aTest, ItsValuesAreThePublishedOnes) {
  EXPECT_EQ(Fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(Fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(Fnv1aTest, BytesAboveSevenBitsAreNotNegative) {
  // One step by hand: (basis ^ 0xff) * prime.
  EXPECT_EQ(Fnv1a("\xff"), (0xcbf29ce484222325U ^ 0xffU) * 0x100000001b3U);
}

}  // namespace
}  // namespace wharf
