#include "broker/access/book.h"

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

TEST(BookTest, FindsRulesByTheirNamesInAnyCase) {
  const Book book = Book().With("orders", SampleRule("Reader", Right::kListen));

  ASSERT_NE(book.Find("orders", "reader"), nullptr);
  EXPECT_EQ(book.Find("orders", "READER")->name(), "Reader");
  EXPECT_EQ(book.Find("orders", "writer"), nullptr);
  EXPECT_EQ(book.Find("", "reader"), nullptr);
  EXPECT_EQ(book.size(), 1U);
}

TEST(BookTest, ABookThatWasThereBeforeStaysAsItWas) {
  const Book before = Book().With("orders", SampleRule("reader", Right::kListen));

  const Book after = before.Without("orders", "READER");

  EXPECT_NE(before.Find("orders", "reader"), nullptr);
  EXPECT_EQ(after.Find("orders", "reader"), nullptr);
  EXPECT_EQ(after.size(), 0U);
  EXPECT_EQ(after.Without("orders", "reader").size(), 0U);
}

TEST(BookTest, ListsRulesByTheirNames) {
  const Book book = Book()
                        .With("", SampleRule("b", Right::kListen))
                        .With("", SampleRule("C", Right::kListen))
                        .With("", SampleRule("a", Right::kListen))
                        .With("", SampleRule("B", Right::kSend));

  ASSERT_EQ(book.RulesOf("").size(), 3U);
  EXPECT_EQ(book.RulesOf("")[0].name(), "a");
  EXPECT_EQ(book.RulesOf("")[1].name(), "B");
  EXPECT_EQ(book.RulesOf("")[2].name(), "C");
  EXPECT_EQ(book.WithoutAll("").size(), 0U);
}

TEST(BookTest, APermitRestsOnARuleThatIsThereWithItsKey) {
  const Book book = Book().With("orders", SampleRule("reader", Right::kListen));
  const Permit permit{.path = "orders", .rule = "reader", .key = PrintOf(kKeyTwo)};

  EXPECT_NE(book.RuleBehind(permit), nullptr);
  EXPECT_EQ(book.Without("orders", "reader").RuleBehind(permit), nullptr);
  const AccessRule rule = SampleRule("reader", Right::kListen);
  const Book primary_rolled = book.With("orders", rule.WithKey(KeySlot::kPrimary, kKeyThree));
  EXPECT_NE(primary_rolled.RuleBehind(permit), nullptr);
  const Book secondary_rolled = book.With("orders", rule.WithKey(KeySlot::kSecondary, kKeyThree));
  EXPECT_EQ(secondary_rolled.RuleBehind(permit), nullptr);
}

}  // namespace
}  // namespace wharf::access
