// A disk that is nearly full: what needs room is refused with the reason, everything else goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "tests/engine/bodies/large_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kMegabyte = 1 << 20;

class DiskTest : public ::testing::Test {
 protected:
  DiskTest() {
    EXPECT_TRUE(engine_.CreateQueue(LargeQueue()).ok());
    EXPECT_TRUE(engine_.CreateQueue({.name = "jobs", .requires_session = true}).ok());
    EXPECT_TRUE(engine_.CreateQueue({.name = "there"}).ok());
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  void FillUp() { disk_.Set({DiskState::kFull, 12 * kMegabyte, 64 * kMegabyte}, 0); }
  void MakeRoom() {
    disk_.Set({DiskState::kAmple, 9000 * kMegabyte, 64 * kMegabyte}, disk_.written_bytes());
  }
  std::int64_t CountOf(const std::string& queue) {
    return engine_.GetQueue(queue)->main.messages();
  }
  ErrorCode SendCode(Message message = TenBytes(), const std::string& path = "orders") {
    return engine_.Send(path, {std::move(message)}).status().code();
  }

  DiskGate disk_;
  EngineHarness engine_{{.disk = &disk_}};
};

TEST_F(DiskTest, SendsAreRefusedWithTheReasonAndTakenAgain) {  // ERR-9
  FillUp();

  const Status refused = engine_.Send("orders", {TenBytes()}).status();
  EXPECT_EQ(refused.code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(refused.outcome(), Outcome::kNotDone);
  EXPECT_THAT(refused.message(), HasSubstr("the disk has 12 MB left"));

  MakeRoom();
  EXPECT_EQ(SendCode(), ErrorCode::kOk);
  EXPECT_EQ(CountOf("orders"), 1);
}

TEST_F(DiskTest, EverythingThatNeedsRoomIsRefused) {  // ERR-9
  Message session = TenBytes();
  session.session_id = "a";
  ASSERT_EQ(SendCode(session, "jobs"), ErrorCode::kOk);
  const LockToken token = engine_.AcceptSession("jobs", "a")->token;
  FillUp();

  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(5);
  EXPECT_EQ(SendCode(later), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(engine_.SetSessionState("jobs", token, "state").code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(engine_.RunTransaction({}, {{"orders", SendMessages{{TenBytes()}}}}).status().code(),
            ErrorCode::kQuotaExceeded);
  const TestUpload upload = BeginUpload(engine_.broker());
  engine_.Run();
  EXPECT_EQ(upload.code(), ErrorCode::kQuotaExceeded);

  EXPECT_TRUE(engine_.SetSessionState("jobs", token, std::nullopt).ok());
}

TEST_F(DiskTest, WhatMakesRoomGoesOn) {  // ERR-9
  for (int i = 0; i < 5; ++i) ASSERT_EQ(SendCode(), ErrorCode::kOk);
  FillUp();

  const auto received = *engine_.Receive("orders", 3);
  ASSERT_THAT(received, SizeIs(3));
  EXPECT_TRUE(engine_.RenewLock("orders", received[0].token).ok());
  EXPECT_TRUE(engine_.Complete("orders", received[0].token).ok());
  EXPECT_TRUE(engine_.Abandon("orders", received[1].token).ok());
  EXPECT_TRUE(engine_.DeadLetter("orders", received[2].token).ok());
  EXPECT_THAT(engine_.Peek("orders")->messages, SizeIs(3));
  EXPECT_EQ(*engine_.DeleteOldest("orders", 1), 1);
  EXPECT_EQ(*engine_.Purge("orders"), 2);
  EXPECT_TRUE(engine_.DeleteQueue("orders").ok());
}

// What came of it goes, or uploads that had begun would fill the rest.
TEST_F(DiskTest, ALargeMessageOnItsWayInIsBrokenOff) {
  const TestUpload upload = BeginUpload(engine_.broker());
  upload.Write(LargeBody().substr(0, 2 * kBodyChunkBytes));
  engine_.Run();
  FillUp();

  upload.Write(LargeBody().substr(2 * kBodyChunkBytes));
  engine_.Run();

  EXPECT_EQ(upload.code(), ErrorCode::kQuotaExceeded);
  const EntityId id = engine_.GetQueue("orders")->record.id;
  const auto rows = engine_.store().View()->Scan(IdOf(Table::kBodies), EntityRange(id));
  EXPECT_FALSE(rows->valid());
}

TEST_F(DiskTest, ForwardingRestsAndGoesOn) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "source", .forward_to = "there"}).ok());
  ASSERT_EQ(SendCode(TenBytes(), "source"), ErrorCode::kOk);
  ASSERT_EQ(CountOf("there"), 1);

  // A message that was sent before the disk filled up.
  ASSERT_TRUE(engine_.UpdateQueue({.name = "source", .status = EntityStatus::kActive}).ok());
  ASSERT_EQ(SendCode(TenBytes(), "source"), ErrorCode::kOk);
  FillUp();
  ASSERT_TRUE(engine_.UpdateQueue({.name = "source", .forward_to = "there"}).ok());
  engine_.Advance(seconds(2));
  EXPECT_EQ(CountOf("there"), 1);

  MakeRoom();
  engine_.Advance(minutes(1));
  EXPECT_EQ(CountOf("there"), 2);
}

TEST_F(DiskTest, ARedriveJobPausesAndGoesOn) {
  ASSERT_EQ(SendCode(), ErrorCode::kOk);
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  ASSERT_TRUE(engine_.DeadLetter("orders", token).ok());
  FillUp();

  const auto job = engine_.BeginJob({.path = "orders/$DeadLetterQueue", .target = "there"});
  ASSERT_TRUE(job.ok());
  engine_.Advance(seconds(5));
  EXPECT_EQ(engine_.GetJob(job->id)->state, JobState::kRunning);
  EXPECT_EQ(CountOf("there"), 0);

  MakeRoom();
  engine_.Advance(seconds(1));
  EXPECT_EQ(engine_.GetJob(job->id)->state, JobState::kCompleted);
  EXPECT_EQ(CountOf("there"), 1);
}

// Between two looks at the disk the gate counts what is on its way to it.
TEST_F(DiskTest, SendsAreCountedBeforeTheyAreWritten) {
  disk_.Set({DiskState::kNearlyFull, 66 * kMegabyte, 64 * kMegabyte}, disk_.written_bytes());
  const std::uint64_t written = disk_.written_bytes();
  engine_.memory_log().Hold();
  Message message;
  message.body = std::string(500'000, 'x');
  std::vector<ErrorCode> codes;
  for (int i = 0; i < 4; ++i) {
    engine_.broker().Send("orders", {message}, false, [&](const Result<SendReceipt>& sent) {
      codes.push_back(sent.status().code());
    });
    engine_.Run();
  }
  EXPECT_EQ(disk_.written_bytes(), written);

  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_GT(disk_.written_bytes(), written + 1'000'000);
  EXPECT_THAT(codes, ::testing::UnorderedElementsAre(ErrorCode::kOk, ErrorCode::kOk, ErrorCode::kOk,
                                                     ErrorCode::kQuotaExceeded));
}

// Else each log that closes would leave less room for the next.
TEST_F(DiskTest, WhatWasNotWrittenTakesNoRoom) {
  disk_.Set({DiskState::kNearlyFull, 66 * kMegabyte, 64 * kMegabyte}, disk_.written_bytes());
  engine_.memory_log().Close({ErrorCode::kServiceCommunicationProblem, "it is over"});
  Message message;
  message.body = std::string(1'500'000, 'x');
  EXPECT_EQ(SendCode(message), ErrorCode::kServiceCommunicationProblem);

  disk_.Set({DiskState::kNearlyFull, 66 * kMegabyte, 64 * kMegabyte}, disk_.written_bytes());

  EXPECT_TRUE(disk_.has_room());
  engine_.Restart();
}

}  // namespace
}  // namespace wharf
