#include "replication/verify/range_digest.h"

#include <string>

#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

class RangeDigestTest : public ::testing::Test {
 protected:
  static void Put(MemoryStore& store, TableId table, const std::string& key,
                  const std::string& value) {
    WriteBatch batch;
    batch.Put(table, key, value);
    ASSERT_TRUE(store.Apply(batch).ok());
  }
  static RangeDigest Digest(const MemoryStore& store, const StateCheck& check,
                            LeftOutRows* left_out = nullptr) {
    const std::atomic<bool> is_stopping = false;
    return DigestRange(*store.View(), store.tables(), check, left_out, is_stopping).value();
  }

  MemoryStore one_{TableSet(3)};
  MemoryStore other_{TableSet(3)};
};

class NoneWithX final : public LeftOutRows {
 public:
  bool IsLeftOut(TableId /*table*/, std::string_view key, std::string_view /*value*/) override {
    return key.find('x') != std::string_view::npos;
  }
  bool is_true_yet() const override { return true; }
};

TEST_F(RangeDigestTest, GoesOverAllTables) {
  Put(one_, 0, "a", "1");
  Put(one_, 2, "b", "22");

  const RangeDigest digest = Digest(one_, {.bytes = 100});

  EXPECT_EQ(digest.rows, 2U);
  EXPECT_EQ(digest.bytes, 5U);
  EXPECT_EQ(digest.first, (RowPlace{0, "a"}));
  EXPECT_FALSE(digest.end.has_value());
}

TEST_F(RangeDigestTest, EachByteAndPlaceOfARowCounts) {
  Put(one_, 0, "ab", "cd");
  const RangeDigest digest = Digest(one_, {.bytes = 100});

  const auto differs = [&](TableId table, const std::string& key, const std::string& value) {
    MemoryStore store{TableSet(3)};
    Put(store, table, key, value);
    return Digest(store, {.bytes = 100}).hash != digest.hash;
  };

  EXPECT_FALSE(differs(0, "ab", "cd"));
  EXPECT_TRUE(differs(1, "ab", "cd"));
  EXPECT_TRUE(differs(0, "abc", "d"));
  EXPECT_TRUE(differs(0, "ab", "ce"));
  EXPECT_TRUE(differs(0, "ab", ""));
}

TEST_F(RangeDigestTest, EndsBehindTheRowThatFillsItAndGoesOnThere) {
  for (const char* const key : {"a", "b", "c"}) Put(one_, 1, key, "1");

  const RangeDigest first = Digest(one_, {.bytes = 3});
  ASSERT_TRUE(first.end.has_value());
  EXPECT_EQ(first.rows, 2U);
  const RangeDigest last = Digest(one_, {.bytes = 3, .begin = *first.end});

  EXPECT_EQ(last.rows, 1U);
  EXPECT_EQ(last.first, (RowPlace{1, "c"}));
  EXPECT_FALSE(last.end.has_value());
}

TEST_F(RangeDigestTest, WhatMayBeGoneDoesNotCount) {
  for (MemoryStore* const store : {&one_, &other_}) Put(*store, 0, "a", "1");
  Put(one_, 0, "ax", "may be gone");
  NoneWithX left_out;

  EXPECT_EQ(Digest(one_, {.bytes = 100}, &left_out), Digest(other_, {.bytes = 100}, &left_out));
  EXPECT_NE(Digest(one_, {.bytes = 100}), Digest(other_, {.bytes = 100}));
}

TEST_F(RangeDigestTest, BreaksOffWhenTheNodeStops) {
  Put(one_, 0, "a", "1");
  const std::atomic<bool> is_stopping = true;

  EXPECT_FALSE(DigestRange(*one_.View(), one_.tables(), {.bytes = 1}, nullptr, is_stopping).ok());
}

}  // namespace
}  // namespace wharf
