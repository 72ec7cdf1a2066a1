#include "replication/peers/streams/send_queue.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using Pushed = SendQueue::Pushed;

class SendQueueTest : public ::testing::Test {
 protected:
  SendQueue queue_{1000};
};

TEST_F(SendQueueTest, ClosedItTakesNothing) {
  EXPECT_EQ(queue_.Push("x"), Pushed::kDropped);
  queue_.Open();
  EXPECT_NE(queue_.Push("x"), Pushed::kDropped);
  queue_.Close();
  EXPECT_EQ(queue_.Push("x"), Pushed::kDropped);
  EXPECT_EQ(queue_.dropped(), 0u);
}

TEST_F(SendQueueTest, GivesBackInOrder) {
  queue_.Open();
  for (const char* message : {"one", "two", ""}) queue_.Push(message);

  EXPECT_EQ(queue_.Pop(), "one");
  EXPECT_EQ(queue_.Pop(), "two");
  EXPECT_EQ(queue_.Pop(), "");
  EXPECT_EQ(queue_.Pop(), std::nullopt);
}

TEST_F(SendQueueTest, WakesTheStreamOnceAndAgainWhenItFoundNothing) {
  queue_.Open();

  EXPECT_EQ(queue_.Push("1"), Pushed::kWakeStream);
  EXPECT_EQ(queue_.Push("2"), Pushed::kQueued);
  queue_.Pop();
  queue_.Pop();
  EXPECT_EQ(queue_.Push("3"), Pushed::kQueued);
  queue_.Pop();
  queue_.Pop();
  EXPECT_EQ(queue_.Push("4"), Pushed::kWakeStream);
}

TEST_F(SendQueueTest, FullItDropsWhatComesAndKeepsWhatItHas) {
  queue_.Open();
  int taken = 0;
  while (queue_.Push(std::string(100, 'x')) != Pushed::kDropped) ++taken;

  EXPECT_GT(taken, 4);
  EXPECT_LE(queue_.bytes(), 1000u);
  EXPECT_EQ(queue_.dropped(), 1u);
  queue_.Pop();
  EXPECT_NE(queue_.Push(std::string(100, 'x')), Pushed::kDropped);
}

TEST_F(SendQueueTest, EmptyMessagesAreBoundedToo) {
  queue_.Open();
  int taken = 0;
  while (taken < 100000 && queue_.Push("") != Pushed::kDropped) ++taken;

  EXPECT_LT(taken, 100);
}

TEST_F(SendQueueTest, AMessageLargerThanTheQueueGoesAlone) {
  queue_.Open();
  queue_.Push("x");

  EXPECT_EQ(queue_.Push(std::string(5000, 'x')), Pushed::kDropped);
  queue_.Pop();
  EXPECT_NE(queue_.Push(std::string(5000, 'x')), Pushed::kDropped);
  EXPECT_EQ(queue_.Push("x"), Pushed::kDropped);
  EXPECT_EQ(queue_.Pop()->size(), 5000u);
}

TEST_F(SendQueueTest, ClosedAndOpenedItBeginsAnew) {
  queue_.Open();
  queue_.Push("old");

  queue_.Close();
  queue_.Open();

  EXPECT_EQ(queue_.bytes(), 0u);
  EXPECT_EQ(queue_.Pop(), std::nullopt);
}

TEST_F(SendQueueTest, WhatIsPoppedMakesRoom) {
  queue_.Open();
  for (int round = 0; round < 100; ++round) {
    EXPECT_NE(queue_.Push(std::string(900, 'x')), Pushed::kDropped) << round;
    EXPECT_TRUE(queue_.Pop().has_value());
  }
  EXPECT_EQ(queue_.bytes(), 0u);
}

}  // namespace
}  // namespace wharf
