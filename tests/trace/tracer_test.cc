#include "broker/trace/tracer.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/trace/sample_span.h"

namespace wharf::trace {
namespace {

Message WithFlags(const std::string& flags) {
  Message message;
  message.message_id = "m1";
  message.application_properties = {{"traceparent", std::string(kSampled).substr(0, 53) + flags}};
  return message;
}

TEST(TracerTest, ByItsParentAMessageIsFollowedIfItIsSampled) {
  const Tracer tracer(Sampling::kParent);

  const auto span = tracer.Follow(WithFlags("01"));

  ASSERT_TRUE(span);
  EXPECT_EQ(span->parent, *ParseTraceparent(kSampled));
  EXPECT_EQ(span->message_id, "m1");
  EXPECT_FALSE(tracer.Follow(WithFlags("00")));
  EXPECT_FALSE(tracer.Follow(Message()));
}

TEST(TracerTest, AllAreThoseThatHaveAContext) {
  const Tracer tracer(Sampling::kAll);

  EXPECT_TRUE(tracer.Follow(WithFlags("01")));
  EXPECT_TRUE(tracer.Follow(WithFlags("00")));
  EXPECT_FALSE(tracer.Follow(WithFlags("zz")));
  EXPECT_FALSE(tracer.Follow(Message()));
}

TEST(TracerTest, TheOldestLeaveFirstInBatches) {
  Tracer tracer(Sampling::kParent, {.batch_spans_max = 2});
  for (const char* id : {"a", "b", "c"}) tracer.Push(SampleSpan(id));

  const auto batch = tracer.TakeBatch();

  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch[0].message_id, "a");
  EXPECT_EQ(batch[1].message_id, "b");
  EXPECT_EQ(tracer.TakeBatch().size(), 1u);
  EXPECT_TRUE(tracer.TakeBatch().empty());
}

TEST(TracerTest, WhatThereIsNoRoomForIsLostAndCounted) {
  Tracer tracer(Sampling::kParent, {.bytes_max = 2 * BytesOf(SampleSpan())});
  for (int i = 0; i < 5; ++i) tracer.Push(SampleSpan());

  EXPECT_EQ(tracer.counts().lost_for_room, 3u);
  EXPECT_EQ(tracer.TakeBatch().size(), 2u);

  tracer.Push(SampleSpan());
  EXPECT_EQ(tracer.TakeBatch().size(), 1u);
  EXPECT_EQ(tracer.counts().lost_for_room, 3u);
}

TEST(TracerTest, LongNamesTakeMoreRoom) {
  Tracer tracer(Sampling::kParent, {.bytes_max = 2 * BytesOf(SampleSpan())});

  tracer.Push(SampleSpan(std::string(4096, 'x')));

  EXPECT_EQ(tracer.counts().lost_for_room, 1u);
}

TEST(TracerTest, AClosedOneTakesNoMore) {
  Tracer tracer(Sampling::kParent);
  tracer.Push(SampleSpan());
  tracer.Close();
  tracer.Push(SampleSpan());

  tracer.AwaitBatch(std::chrono::hours(1));
  EXPECT_EQ(tracer.TakeBatch().size(), 1u);
  EXPECT_EQ(tracer.counts().lost_for_room, 1u);
}

}  // namespace
}  // namespace wharf::trace
