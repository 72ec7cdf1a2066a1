#include "storage/segments/entry_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

LogEntry EntryOf(std::uint64_t index, std::size_t bytes) {
  return {.index = index, .term = 1, .data = std::string(bytes, 'x')};
}

TEST(EntryCacheTest, KeepsTheLastEntriesThatFit) {
  EntryCache cache(3 * (sizeof(LogEntry) + 100));
  for (std::uint64_t index = 1; index <= 5; ++index) cache.Add(EntryOf(index, 100));

  EXPECT_EQ(cache.Find(2), nullptr);
  ASSERT_NE(cache.Find(3), nullptr);
  EXPECT_EQ(cache.Find(3)->index, 3);
  EXPECT_EQ(cache.Find(5)->index, 5);
  EXPECT_EQ(cache.Find(6), nullptr);
  EXPECT_EQ(cache.bytes(), 3 * (sizeof(LogEntry) + 100));
}

TEST(EntryCacheTest, DoesNotKeepWhatIsLargerThanItself) {
  EntryCache cache(1000);
  cache.Add(EntryOf(1, 100));
  cache.Add(EntryOf(2, 5000));

  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_EQ(cache.Find(2), nullptr);
  EXPECT_EQ(cache.bytes(), 0);
}

TEST(EntryCacheTest, AnEntryTakesThePlaceOfThoseFromItsIndexOn) {
  EntryCache cache(1 << 20);
  for (std::uint64_t index = 1; index <= 5; ++index) cache.Add(EntryOf(index, 10));

  cache.Add(EntryOf(3, 20));

  EXPECT_EQ(cache.Find(3)->data.size(), 20);
  EXPECT_EQ(cache.Find(2)->data.size(), 10);
  EXPECT_EQ(cache.Find(4), nullptr);
}

TEST(EntryCacheTest, ForgetsWhatIsCut) {
  EntryCache cache(1 << 20);
  for (std::uint64_t index = 1; index <= 5; ++index) cache.Add(EntryOf(index, 10));

  cache.CutUpTo(3);
  EXPECT_EQ(cache.Find(3), nullptr);
  EXPECT_NE(cache.Find(4), nullptr);

  cache.Clear();
  EXPECT_EQ(cache.Find(5), nullptr);
  EXPECT_EQ(cache.bytes(), 0);
}

}  // namespace
}  // namespace wharf
