#include "broker/doors/amqp/endpoint/credit.h"

#include <gtest/gtest.h>

namespace wharf::amqp {
namespace {

Flow FlowOf(std::uint32_t delivery_count, std::uint32_t credit) {
  Flow flow;
  flow.delivery_count = delivery_count;
  flow.link_credit = credit;
  return flow;
}

TEST(SerialTest, TheShorterWayDecides) {
  EXPECT_TRUE(SerialLess(1, 2));
  EXPECT_TRUE(SerialLess(0xffffffff, 0));
  EXPECT_FALSE(SerialLess(0, 0xffffffff));
  EXPECT_EQ(SerialDistance(2, 0xfffffffe), 4);
  EXPECT_EQ(NumberNear(FirstNumber(1), 0xffffffff), FirstNumber(1) - 2);
}

TEST(SenderCreditTest, WhatLeftMeanwhileIsTakenOff) {
  SenderCredit credit(0xfffffffe);
  credit.OnFlow(FlowOf(0xfffffffe, 10));
  for (int i = 0; i < 4; ++i) credit.Use();
  credit.OnFlow(FlowOf(0xffffffff, 5));
  EXPECT_EQ(credit.credit(), 2U);
  credit.OnFlow(FlowOf(0xffffffff, 1));
  EXPECT_EQ(credit.credit(), 0U);
}

TEST(SenderCreditTest, AReceiverThatHasSeenNoCountMeansTheFirst) {
  SenderCredit credit(7);
  Flow flow;
  flow.link_credit = 3;
  credit.OnFlow(flow);
  EXPECT_EQ(credit.credit(), 3U);
}

TEST(SenderCreditTest, CreditMayBeAsLargeAsItGets) {
  SenderCredit credit(0);
  credit.OnFlow(FlowOf(0, 0xffffffff));
  credit.Use();
  EXPECT_EQ(credit.credit(), 0xfffffffe);
}

TEST(ReceiverCreditTest, ASenderThatDrainsMovesItsCount) {
  ReceiverCredit credit;
  credit.Begin(0xfffffffe);
  credit.Give(5);
  credit.Drain();
  EXPECT_TRUE(credit.Use());
  EXPECT_TRUE(credit.OnFlow(FlowOf(3, 0)));
  EXPECT_EQ(credit.delivery_count(), 3U);
  EXPECT_FALSE(credit.Use());
}

TEST(ReceiverCreditTest, ACountThatWasNeverAllowedIsNotBelieved) {
  ReceiverCredit credit;
  credit.Begin(0);
  credit.Give(5);
  credit.OnFlow(FlowOf(1000, 0));
  EXPECT_EQ(credit.delivery_count(), 0U);
}

}  // namespace
}  // namespace wharf::amqp
