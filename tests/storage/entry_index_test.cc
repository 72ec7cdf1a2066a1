#include "storage/segments/entry_index.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(EntryIndexTest, KnowsTheTermOfEachEntryAndOfTheOneBeforeThem) {
  EntryIndex index;
  index.BeginAt({10, 3});
  index.Add({11, 3}, {1, 100});
  index.Add({12, 5}, {1, 200});
  index.Add({13, 5}, {2, 100});

  EXPECT_EQ(index.TermOf(10), 3);
  EXPECT_EQ(index.TermOf(11), 3);
  EXPECT_EQ(index.TermOf(12), 5);
  EXPECT_EQ(index.TermOf(13), 5);
  EXPECT_EQ(index.PlaceOf(13).segment, 2);
  EXPECT_EQ(index.PlaceOf(12).offset, 200);
}

// Against a plain list of terms.
TEST(EntryIndexTest, IsRightAfterAnyCuts) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    EntryIndex index;
    index.BeginAt({0, 0});
    std::vector<std::uint64_t> terms = {0};
    std::uint64_t term = 1;
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t start = index.start().index;
      const std::uint64_t entries = index.last() - start;
      term += random() % 3 == 0 ? 1 : 0;
      if (random() % 8 == 0 && entries > 0) {
        index.CutUpTo(start + 1 + random() % entries);
      } else {
        const std::uint64_t at =
            random() % 5 == 0 ? start + 1 + random() % (entries + 1) : index.last() + 1;
        index.Add({at, term}, {1, static_cast<std::uint32_t>(8 * at)});
        terms.resize(at);
        terms.push_back(term);
      }
      ASSERT_EQ(index.last() + 1, terms.size());
      for (std::uint64_t at = index.start().index; at <= index.last(); ++at) {
        ASSERT_EQ(index.TermOf(at), terms[at]) << "of entry " << at << " in round " << round;
        if (at > index.start().index) {
          ASSERT_EQ(index.PlaceOf(at).offset, 8 * at);
        }
      }
    }
  }
}

}  // namespace
}  // namespace wharf
