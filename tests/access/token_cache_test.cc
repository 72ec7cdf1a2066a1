#include "broker/access/token_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf::access {
namespace {

PermitPtr NewPermit() { return std::make_shared<const Permit>(); }

TEST(TokenCacheTest, KnowsWhatItWasTold) {
  TokenCache cache({.tokens = 4, .bytes = 100});
  const PermitPtr permit = NewPermit();

  cache.Add("one", permit);

  EXPECT_EQ(cache.Find("one"), permit);
  EXPECT_EQ(cache.Find("two"), nullptr);
}

TEST(TokenCacheTest, KeepsTheLastOfMany) {
  TokenCache cache({.tokens = 8, .bytes = 1000});

  for (int i = 0; i < 100; ++i) cache.Add(std::to_string(i), NewPermit());

  int known = 0;
  for (int i = 0; i < 100; ++i) known += cache.Find(std::to_string(i)) != nullptr ? 1 : 0;
  EXPECT_LE(known, 8);
  EXPECT_NE(cache.Find("99"), nullptr);
}

TEST(TokenCacheTest, IsBoundedInBytes) {
  TokenCache cache({.tokens = 1000, .bytes = 200});

  for (int i = 0; i < 10; ++i) cache.Add(std::string(90, static_cast<char>('a' + i)), NewPermit());

  EXPECT_EQ(cache.Find(std::string(90, 'a')), nullptr);
  EXPECT_NE(cache.Find(std::string(90, 'j')), nullptr);
}

TEST(TokenCacheTest, WhatIsUsedStays) {
  TokenCache cache({.tokens = 8, .bytes = 1000});
  cache.Add("used", NewPermit());

  for (int i = 0; i < 100; ++i) {
    cache.Add(std::to_string(i), NewPermit());
    ASSERT_NE(cache.Find("used"), nullptr) << i;
  }
}

}  // namespace
}  // namespace wharf::access
