#include "storage/base/hash_trie.h"

#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "storage/base/random.h"

namespace wharf {
namespace {

TEST(HashTrieTest, FindsWhatWasPutInAndNothingElse) {
  const HashTrie<int> empty;
  const HashTrie<int> one = empty.With("a", 1);
  const HashTrie<int> two = one.With("b", 2);

  ASSERT_NE(two.Find("a"), nullptr);
  EXPECT_EQ(*two.Find("a"), 1);
  EXPECT_EQ(*two.Find("b"), 2);
  EXPECT_EQ(two.Find("c"), nullptr);
  EXPECT_EQ(empty.Find("a"), nullptr);
}

TEST(HashTrieTest, TheMapBeforeAChangeStaysAsItWas) {
  const HashTrie<int> before = HashTrie<int>().With("a", 1).With("b", 2);

  const HashTrie<int> replaced = before.With("a", 3);
  const HashTrie<int> removed = before.Without("a");

  EXPECT_EQ(*before.Find("a"), 1);
  EXPECT_EQ(*replaced.Find("a"), 3);
  EXPECT_EQ(removed.Find("a"), nullptr);
  EXPECT_EQ(*removed.Find("b"), 2);
}

TEST(HashTrieTest, WhatIsNotThereCanBeRemoved) {
  const HashTrie<int> map = HashTrie<int>().With("a", 1).Without("b");

  EXPECT_EQ(*map.Find("a"), 1);
  EXPECT_EQ(map.Without("a").Without("a").Find("a"), nullptr);
}

// Only some bits of the hash differ, or none.
struct BadHash {
  std::uint64_t operator()(std::string_view key) const {
    return key.empty() ? 0 : std::uint64_t{static_cast<unsigned char>(key[0])} << 58;
  }
};

// As a std::map does, whatever the hashes are.
template <typename Hash>
void CompareWithMap(std::uint64_t seed) {
  SeededRandom random(seed);
  HashTrie<int, Hash> trie;
  std::map<std::string, int> model;
  for (int i = 0; i < 4000; ++i) {
    const std::string key = std::string(1, static_cast<char>('a' + random.Next() % 8)) +
                            std::to_string(random.Next() % 40);
    if (random.Next() % 3 == 0) {
      trie = trie.Without(key);
      model.erase(key);
    } else {
      trie = trie.With(key, i);
      model[key] = i;
    }
  }
  for (char first = 'a'; first < 'i'; ++first) {
    for (int number = 0; number < 40; ++number) {
      const std::string key = std::string(1, first) + std::to_string(number);
      const auto expected = model.find(key);
      const int* found = trie.Find(key);
      ASSERT_EQ(found != nullptr, expected != model.end()) << key << ", seed " << seed;
      if (found != nullptr) {
        EXPECT_EQ(*found, expected->second) << key << ", seed " << seed;
      }
    }
  }
}

TEST(HashTrieTest, IsAMapUnderRandomChanges) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CompareWithMap<absl::Hash<std::string_view>>(seed);
  }
}

TEST(HashTrieTest, IsAMapWhenHashesCollide) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CompareWithMap<BadHash>(seed);
}

}  // namespace
}  // namespace wharf
