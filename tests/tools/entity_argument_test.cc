#include "tools/wharf/entities/entity_argument.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(EntityArgumentTest, FindsTheDeadLetterQueue) {
  EXPECT_EQ(DeadLetterPath("orders"), "orders/$DeadLetterQueue");
  EXPECT_EQ(DeadLetterPath("t/Subscriptions/s"), "t/Subscriptions/s/$DeadLetterQueue");
}

TEST(EntityArgumentTest, KnowsADeadLetterQueue) {
  EXPECT_EQ(DeadLetterPath("orders/$DeadLetterQueue"), "orders/$DeadLetterQueue");
  EXPECT_EQ(DeadLetterPath("orders/$deadletterqueue"), "orders/$deadletterqueue");
}

TEST(EntityArgumentTest, FindsTheEntityOfADeadLetterQueue) {
  EXPECT_EQ(EntityOf("orders/$DeadLetterQueue"), "orders");
  EXPECT_EQ(EntityOf("orders"), "orders");
}

}  // namespace
}  // namespace wharf::tool
