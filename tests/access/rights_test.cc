#include "broker/access/rights.h"

#include <gtest/gtest.h>

namespace wharf::access {
namespace {

// SEC-1
TEST(RightsTest, ManageImpliesTheOthers) {
  const Rights manage = Right::kManage;

  for (const Right right : kAllRights) EXPECT_TRUE(manage.Has(right));
  EXPECT_EQ(Rights::OfBits(static_cast<std::uint8_t>(Right::kManage)), manage);
}

TEST(RightsTest, OneRightIsNoOther) {
  const Rights send = Right::kSend;

  EXPECT_TRUE(send.Has(Right::kSend));
  EXPECT_FALSE(send.Has(Right::kListen));
  EXPECT_FALSE(send.Has(Right::kManage));
  EXPECT_TRUE((send | Right::kListen).Has(Right::kListen));
  EXPECT_FALSE((send | Right::kListen).Has(Right::kManage));
}

TEST(RightsTest, BitsThatMeanNothingAreDropped) {
  EXPECT_TRUE(Rights::OfBits(0xF8).empty());
  EXPECT_EQ(Rights::OfBits(0xF9), Rights(Right::kSend));
}

TEST(RightsTest, AreToldByTheirNames) {
  EXPECT_EQ(ToString(Right::kListen), "Listen");
  EXPECT_EQ(ToString(Rights(Right::kSend) | Right::kListen), "Send, Listen");
  EXPECT_EQ(ToString(Right::kManage), "Manage, Send, Listen");
  EXPECT_EQ(ToString(Rights()), "");
}

}  // namespace
}  // namespace wharf::access
