// Bodies that outlive the messages they came with: whatever became of where they were sent, and
// whatever compactions did, each is read whole.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/bodies/large_fixture.h"
#include "tests/engine/stored_broker.h"
#include "tests/harness/broker_accounts.h"

namespace wharf {
namespace {

// In a row of its own, and in many that are uploaded before their message.
constexpr std::size_t kSmallBytes = 5 * 1024;
constexpr std::size_t kLongBytes = 5 * 1024 * 1024;

enum class End { kDeleted, kPurged };

class BodiesOnDiskTest : public ::testing::TestWithParam<End> {
 protected:
  // Files so small that a body lies in several.
  BodiesOnDiskTest() {
    for (const char* name : {"source", "target"}) Create(EntityKind::kQueue, name);
  }

  EngineHarness& engine() { return broker_.engine(); }

  void Create(EntityKind kind, const std::string& name, std::string forward_to = "") {
    QueueDescription entity = Described(kind, name);
    if (!forward_to.empty()) entity.forward_to = std::move(forward_to);
    ASSERT_TRUE(engine().Create(kind, entity).ok()) << name;
  }
  static QueueDescription Described(EntityKind kind, const std::string& name) {
    QueueDescription entity{.name = name};
    if (kind != EntityKind::kSubscription) entity.max_message_size_in_kilobytes = 102400;
    if (kind != EntityKind::kTopic) entity.lock_duration = std::chrono::minutes(5);
    return entity;
  }

  // One of each kind.
  void SendBoth(const std::string& path) {
    Message message;
    message.message_id = "small";
    message.body = LargeBody(kSmallBytes);
    ASSERT_TRUE(engine().Send(path, {message}).ok());
    message.message_id = "long";
    message.body.clear();
    const TestUpload upload = BeginUpload(engine().broker(), kLongBytes, message, path);
    upload.Write(LargeBody(kLongBytes));
    broker_.Settle();
    ASSERT_EQ(upload.code(), ErrorCode::kOk);
  }

  // The entity where they were born ends, and nothing of what it deleted is left on the disk.
  void EndOf(EntityKind kind, const std::string& name) {
    if (GetParam() == End::kDeleted || kind == EntityKind::kTopic) {
      ASSERT_TRUE(engine().Delete(kind, name).ok());
    } else {
      ASSERT_TRUE(engine().Purge(name).ok());
    }
    broker_.Settle();
    ASSERT_TRUE(broker_.store().CompactAll().ok());
    broker_.Reopen();
    ASSERT_TRUE(broker_.store().CompactAll().ok());
  }

  std::string ReadWhole(const BodyRef& ref) {
    std::string bytes;
    for (std::uint32_t chunk = 0; bytes.size() < ref.size; ++chunk) {
      const Result<std::string> read = engine().Await<std::string>([&](Answer<std::string> answer) {
        engine().broker().ReadBodyChunk(ref, chunk, std::move(answer));
      });
      if (!read.ok()) return read.status().ToString();
      bytes += *read;
    }
    return bytes;
  }
  // Both are there, and go when they are completed.
  void ExpectBothAt(const std::string& path) {
    const Result<PeekPage> page = engine().Peek(path);
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    ASSERT_EQ(page->messages.size(), 2U) << path;
    for (const PeekedMessage& peeked : page->messages) {
      const StoredMessage& message = *peeked.message;
      const bool is_long = message.message.message_id == "long";
      ASSERT_TRUE(message.facts.body_ref) << path;
      EXPECT_TRUE(ReadWhole(*message.facts.body_ref) ==
                  LargeBody(is_long ? kLongBytes : kSmallBytes))
          << path << (is_long ? ": the long body" : ": the small body");
    }
  }

  StoredBroker broker_{{.write_buffer_bytes = 1 << 20, .file_bytes_max = 256 << 10}};
};

TEST_P(BodiesOnDiskTest, WhatWasForwarded) {  // FWD-1
  ASSERT_TRUE(engine()
                  .UpdateQueue([] {
                    QueueDescription source = Described(EntityKind::kQueue, "source");
                    source.forward_to = "target";
                    return source;
                  }())
                  .ok());
  SendBoth("source");
  broker_.Settle();

  EndOf(EntityKind::kQueue, "source");

  ExpectBothAt("target");
  EXPECT_EQ(FindWrongAccounts(broker_.store()), "");
}

// It rests in the dead-letter queue of where it was born, which a purge of the queue leaves.
TEST_P(BodiesOnDiskTest, WhatWasDeadLetteredAndRedriven) {  // DLQ-7, RDR-1
  SendBoth("source");
  for (const std::uint64_t number : {1, 2}) {
    const Status settled = engine().SettleOne("source", number, {.verb = SettleVerb::kDeadLetter});
    ASSERT_TRUE(settled.ok()) << settled.ToString();
  }
  if (GetParam() == End::kPurged) {
    EndOf(EntityKind::kQueue, "source");
    ExpectBothAt("source/$DeadLetterQueue");
  }
  ASSERT_TRUE(
      engine()
          .BeginJob(
              {.verb = JobVerb::kRedrive, .path = "source/$DeadLetterQueue", .target = "target"})
          .ok());
  broker_.Settle();

  EndOf(EntityKind::kQueue, "source");

  ExpectBothAt("target");
  EXPECT_EQ(FindWrongAccounts(broker_.store()), "");
}

TEST_P(BodiesOnDiskTest, WhatWasPublished) {  // TOP-8
  Create(EntityKind::kTopic, "topic");
  Create(EntityKind::kSubscription, "topic/Subscriptions/kept", "target");
  Create(EntityKind::kSubscription, "topic/Subscriptions/source");
  SendBoth("topic");
  broker_.Settle();

  if (GetParam() == End::kPurged) {
    ASSERT_TRUE(engine().Purge("topic/Subscriptions/source").ok());
  }
  EndOf(EntityKind::kTopic, "topic");

  ExpectBothAt("target");
  EXPECT_EQ(FindWrongAccounts(broker_.store()), "");
}

INSTANTIATE_TEST_SUITE_P(All, BodiesOnDiskTest, ::testing::Values(End::kDeleted, End::kPurged),
                         [](const auto& end) {
                           return end.param == End::kDeleted ? "Deleted" : "Purged";
                         });

}  // namespace
}  // namespace wharf
