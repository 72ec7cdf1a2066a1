#include "storage/base/ranked.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/random.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct NameOf {
  std::string_view operator()(const std::string& name) const { return name; }
};
using Names = Ranked<std::string, NameOf>;

std::vector<std::string> PageOf(const Names& names, std::string_view after, std::size_t count_max,
                                std::size_t skip = 0) {
  const auto page = names.Page(after, count_max, skip);
  return {page.begin(), page.end()};
}

TEST(RankedTest, StandsInTheOrderOfKeysHoweverItCame) {
  Names names;
  for (const char* name : {"d", "b", "a", "c"}) names.Add(name);

  EXPECT_EQ(names.size(), 4U);
  EXPECT_THAT(PageOf(names, "", 9), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(PageOf(names, "", 2, 1), ElementsAre("b", "c"));
  EXPECT_THAT(PageOf(names, "b", 9), ElementsAre("c", "d"));
  EXPECT_THAT(PageOf(names, "aa", 1, 1), ElementsAre("c"));
  EXPECT_THAT(PageOf(names, "", 9, 4), IsEmpty());
  EXPECT_THAT(PageOf(names, "d", 9, 1000), IsEmpty());
  EXPECT_THAT(PageOf(names, "", 0), IsEmpty());
}

TEST(RankedTest, FindsAndLosesByKey) {
  Names names;
  for (const char* name : {"b", "a", "c"}) names.Add(name);
  ASSERT_NE(names.Find(std::string_view("b")), nullptr);
  EXPECT_EQ(*names.Find(std::string_view("b")), "b");
  EXPECT_EQ(names.Find(std::string_view("bb")), nullptr);
  EXPECT_EQ(names.Find(std::string_view("d")), nullptr);

  EXPECT_TRUE(names.Remove(std::string_view("b")));
  EXPECT_FALSE(names.Remove(std::string_view("b")));
  EXPECT_FALSE(names.Remove(std::string_view("d")));

  EXPECT_EQ(names.Find(std::string_view("b")), nullptr);
  EXPECT_THAT(PageOf(names, "", 9), ElementsAre("a", "c"));
  EXPECT_TRUE(names.Remove(std::string_view("a")) && names.Remove(std::string_view("c")));
  EXPECT_TRUE(names.empty());
}

// Counts how many values are looked at.
int looks = 0;
struct CountingKeyOf {
  int operator()(const std::unique_ptr<int>& value) const {
    ++looks;
    return *value;
  }
};

TEST(RankedTest, APageAnywhereLooksAtNoMoreThanTheFirst) {  // ATM-5
  constexpr int kValues = 10'000;
  constexpr int kOneSearch = 15;
  Ranked<std::unique_ptr<int>, CountingKeyOf> values;
  SeededRandom random(1);
  std::vector<int> shuffled(kValues);
  for (int i = 0; i < kValues; ++i) shuffled[i] = i;
  for (int i = kValues - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random.Next() % (i + 1)]);
  for (const int each : shuffled) values.Add(std::make_unique<int>(each));

  for (int skip = 0; skip <= kValues; ++skip) {
    looks = 0;
    const auto page = values.Page(-1, 100, skip);

    ASSERT_LE(looks, kOneSearch) << skip;
    ASSERT_EQ(page.size(), static_cast<std::size_t>(std::min(100, kValues - skip)));
    if (!page.empty()) {
      ASSERT_EQ(*page.front(), skip);
    }
  }
}

}  // namespace
}  // namespace wharf
