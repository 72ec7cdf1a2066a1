#include "replication/cluster_node/member_book.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

const MemberRecord kA{3, "a", "10.0.0.1:5690", "10.0.0.1:5680"};
const MemberRecord kB{7, "b", "10.0.0.2:5690", ""};

MemberChange Change(MemberChange::Kind kind, const MemberRecord& member) {
  return {kind, member.node, kind == MemberChange::Kind::kRemove ? std::string() : member.Encode()};
}

TEST(MemberBookTest, IsReadAsItWasWritten) {
  const MemberBook book{std::string("conf\0iguration", 14), {kA, kB}};

  EXPECT_EQ(MemberBook::Decode(book.Encode()).value(), book);
  EXPECT_EQ(MemberBook::Decode("").value(), MemberBook());
}

TEST(MemberBookTest, AChangeLeadsToTheNextBook) {
  const MemberBook empty;

  const MemberBook one = empty.After(Change(MemberChange::Kind::kAddVoter, kB), "1").value();
  const MemberBook two = one.After(Change(MemberChange::Kind::kAddLearner, kA), "2").value();
  MemberRecord moved = kB;
  moved.client_address = "elsewhere";
  const MemberBook three = two.After(Change(MemberChange::Kind::kUpdate, moved), "3").value();
  const MemberBook four = three.After(Change(MemberChange::Kind::kRemove, kA), "4").value();

  EXPECT_EQ(two, (MemberBook{"2", {kA, kB}}));
  EXPECT_EQ(three, (MemberBook{"3", {kA, moved}}));
  EXPECT_EQ(four, (MemberBook{"4", {moved}}));
  EXPECT_EQ(three.FindName("b")->client_address, "elsewhere");
  EXPECT_EQ(three.Find(4), nullptr);
}

TEST(MemberBookTest, WhatANodeToldIsKeptBesideWhatAnOperatorSaid) {
  const MemberRecord told = kA.WithToldAddress("a:1");
  EXPECT_EQ(told.client_address, "a:1");
  EXPECT_TRUE(told.HasTold("a:1"));

  const MemberRecord set = told.WithSetAddress("router:1").WithSetAddress("router:2");
  EXPECT_EQ(set.client_address, "router:2");
  EXPECT_TRUE(set.HasTold("a:1"));
  EXPECT_FALSE(set.HasTold("router:2"));
  EXPECT_EQ(MemberRecord::Decode(set.Encode()).value(), set);

  // As it was before, also for an older version.
  EXPECT_EQ(set.WithSetAddress("a:1").Encode(), told.Encode());
  EXPECT_EQ(set.WithToldAddress("b:1"), kA.WithToldAddress("b:1"));
}

TEST(MemberBookTest, AChangeThatNamesNobodyIsDamage) {
  EXPECT_TRUE(MemberBook().After({MemberChange::Kind::kAddVoter, 3, "?"}, "").status().is_damage());
}

TEST(MemberBookTest, WhateverIsCutOffOrFlippedIsNoOtherBook) {
  const MemberBook book{"configuration", {kA, kB}};
  const std::string bytes = book.Encode();

  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const Result<MemberBook> cut = MemberBook::Decode(std::string_view(bytes).substr(0, size));
    // Whole fields may be left: those that come first.
    EXPECT_TRUE(!cut.ok() || cut->members.size() < 2) << size;
  }
  std::string newer = bytes;
  newer[0] = 2;
  EXPECT_TRUE(MemberBook::Decode(newer).status().is_damage());
}

// An entry raises it, and no entry lowers it; the book of the first level is as ever.
TEST(MemberBookTest, TheLevelOfTheFormatOnlyRises) {
  const MemberBook book{"1", {kA}};
  EXPECT_EQ(book.level, kFirstFormatLevel);
  const auto behind = [](const MemberBook& before, std::uint64_t level) {
    MemberRecord raising = kA;
    raising.raises_level_to = level;
    return before
        .After({MemberChange::Kind::kUpdate, kA.node, raising.Encode()}, before.configuration)
        .value();
  };

  const MemberBook raised = behind(book, 3);

  EXPECT_EQ(raised, (MemberBook{"1", {kA}, 3}));
  EXPECT_EQ(MemberBook::Decode(raised.Encode()).value(), raised);
  EXPECT_EQ(behind(raised, 2).level, 3U);
  EXPECT_EQ(behind(raised, 0).level, 3U);
  EXPECT_EQ(behind(book, 0).Encode(), book.Encode());
}

}  // namespace
}  // namespace wharf
