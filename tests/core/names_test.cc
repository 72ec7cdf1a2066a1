#include "broker/core/entities/names.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

ErrorCode CodeOf(std::string_view name) { return CheckEntityName(name).status().code(); }

TEST(NamesTest, LettersDigitsAndFourSignsMakeAName) {  // NAM-1, EPR-1
  for (const auto* name : {"a", "7", "orders", "Site1/my-Queue_2.old", "a/b/c"}) {
    const Result<std::string> checked = CheckEntityName(name);
    ASSERT_TRUE(checked.ok()) << checked.status().ToString();
    EXPECT_EQ(*checked, name);
  }
}

TEST(NamesTest, OtherSignsAreRefused) {  // NAM-1, ADR-12
  for (const auto* name :
       {"a b", "a@b", "a?b", "a#b", "a*b", "a$b", "$orders", "a~b", "\xC3\xA4"}) {
    EXPECT_EQ(CodeOf(name), ErrorCode::kArgumentError) << name;
  }
  EXPECT_EQ(CodeOf(std::string_view("a\0b", 3)), ErrorCode::kArgumentError);
}

TEST(NamesTest, TheFirstAndTheLastSignAreLettersOrDigits) {  // NAM-1
  for (const auto* name : {"/a", "a/", ".a", "a.", "-a", "a-", "_a", "a_", "\\a", "a\\"}) {
    EXPECT_EQ(CodeOf(name), ErrorCode::kArgumentError) << name;
  }
}

TEST(NamesTest, ANameHasFrom1To260Characters) {  // NAM-1
  EXPECT_EQ(CodeOf(""), ErrorCode::kArgumentError);
  EXPECT_EQ(CodeOf(std::string(260, 'a')), ErrorCode::kOk);
  EXPECT_EQ(CodeOf(std::string(261, 'a')), ErrorCode::kArgumentError);
}

TEST(NamesTest, ABackslashCountsAsASlash) {  // NAM-1
  EXPECT_EQ(*CheckEntityName("site\\orders"), "site/orders");
  EXPECT_EQ(FoldPath("Site\\Orders"), FoldPath("site/orders"));
}

TEST(NamesTest, ASegmentIsNotEmpty) {
  EXPECT_EQ(CodeOf("a//b"), ErrorCode::kArgumentError);
  EXPECT_EQ(CodeOf("a\\/b"), ErrorCode::kArgumentError);
}

TEST(NamesTest, TheSegmentSubscriptionsIsReserved) {  // ADR-12
  EXPECT_EQ(CodeOf("news/Subscriptions/mine"), ErrorCode::kArgumentError);
  EXPECT_EQ(CodeOf("news/SUBSCRIPTIONS"), ErrorCode::kArgumentError);
  EXPECT_EQ(CodeOf("subscriptions"), ErrorCode::kArgumentError);
  EXPECT_EQ(CodeOf("mysubscriptions/a"), ErrorCode::kOk);
}

TEST(NamesTest, AnErrorShowsABoundedPartOfTheName) {
  const Status status = CheckEntityName(std::string(100000, '?')).status();

  EXPECT_LT(status.message().size(), 1000U);
}

TEST(AddressTest, AQueueIsItsPath) {  // ADR-1
  const Address address = ParseAddress("Site1/Orders");

  EXPECT_EQ(address.entity, "site1/orders");
  EXPECT_EQ(address.lane, LaneKind::kMain);
}

TEST(AddressTest, TheSuffixNamesTheDeadLetterQueueInAnyCase) {  // ADR-5, ADR-10
  for (const auto* path : {"Orders/$DeadLetterQueue", "orders/$deadletterqueue",
                           "ORDERS/$DEADLETTERQUEUE", "orders\\$DeadLetterQueue"}) {
    const Address address = ParseAddress(path);
    EXPECT_EQ(address.entity, "orders") << path;
    EXPECT_EQ(address.lane, LaneKind::kDeadLetter) << path;
  }
}

TEST(AddressTest, SchemeAndHostAreNoPartOfTheAddress) {  // ADR-11
  for (const auto* path : {"sb://host/Orders", "amqps://host:5671/orders", "amqp://h/orders",
                           "https://host/orders", "SB://HOST/ORDERS"}) {
    EXPECT_EQ(ParseAddress(path).entity, "orders") << path;
  }
  EXPECT_EQ(ParseAddress("sb://host/orders/$DeadLetterQueue").lane, LaneKind::kDeadLetter);
  EXPECT_EQ(ParseAddress("sb://host").entity, "");
}

TEST(AddressTest, WhatIsNoAddressIsThatOfNoEntity) {
  for (const auto* path : {"", "/", "/$DeadLetterQueue", "orders/$management", "ftp://host/orders",
                           "orders/$DeadLetterQueue/$DeadLetterQueue"}) {
    EXPECT_FALSE(CheckEntityName(ParseAddress(path).entity).ok()) << path;
  }
}

}  // namespace
}  // namespace wharf
