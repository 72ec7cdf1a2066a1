// What keeps an entity from being deleted because nobody uses it: the table of all verbs, walked.

#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <wharf/v1/clock.pb.h>
#include <wharf/v1/management.pb.h>
#include <wharf/v1/message.pb.h>
#include <wharf/v1/messaging.pb.h>
#include <wharf/v1/sessions.pb.h>
#include <wharf/v1/topics.pb.h>
#include <wharf/v1/transactions.pb.h>

#include "broker/schema/change_encoder.h"
#include "tests/engine/activity/activity_rows.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// When the verb comes: late enough for it to be seen whether the idle time begins anew.
constexpr Duration kBefore = minutes(8);
constexpr Duration kLeft = ActivityBench::kIdle - kBefore;
// How long someone waits: beyond the end of the idle time.
constexpr Duration kWaits = minutes(4);

// gtest wants names of letters and digits.
std::string TestName(std::string_view row) {
  std::string name;
  bool is_start = true;
  for (const char c : row) {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_letter) name.push_back(is_start ? static_cast<char>(std::toupper(c)) : c);
    is_start = !is_letter;
  }
  return name;
}

bool IsUse(Use use) { return use == Use::kUse || use == Use::kInVain; }
bool IsAnswered(Use use) { return use != Use::kInVain && use != Use::kRefused; }

// --- calls

class ActivityTest : public ::testing::TestWithParam<ActivityRow> {
 protected:
  void CallAt(ActivityBench& bench) {
    bench.engine().Advance(kBefore - minutes(1));
    if (GetParam().prepare != nullptr) GetParam().prepare(bench);
    bench.engine().Advance(minutes(1));
    const Status status = GetParam().call(bench);
    EXPECT_EQ(status.ok(), IsAnswered(GetParam().UseAt(bench.place()))) << status.ToString();
  }
  bool KeepsForEver(Place place) { return GetParam().UseAt(place) == Use::kScheduled; }
};

TEST_P(ActivityTest, BeginsTheIdleTimeAnewIfItIsAUse) {
  for (const Place place : kPlaces) {
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, GetParam().stock);

    CallAt(bench);

    if (KeepsForEver(place)) {
      bench.engine().Advance(hours(1));
      EXPECT_TRUE(bench.IsThere());
    } else {
      EXPECT_TRUE(bench.GoesIn(IsUse(GetParam().UseAt(place)) ? ActivityBench::kIdle : kLeft));
    }
  }
}

TEST_P(ActivityTest, IsRememberedOverARestartIfItIsAUse) {  // ADI-13, ADI-15
  for (const Place place : kPlaces) {
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, GetParam().stock);
    CallAt(bench);

    bench.Restart();

    if (KeepsForEver(place)) {
      bench.engine().Advance(hours(1));
      EXPECT_TRUE(bench.IsThere());
    } else {
      EXPECT_TRUE(bench.GoesIn(IsUse(GetParam().UseAt(place)) ? ActivityBench::kIdle
                                                              : ActivityBench::kLeftAfterStart));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ActivityTest, ::testing::ValuesIn(ActivityRows()),
                         [](const auto& row) { return TestName(row.param.name()); });

// --- waits

class WaitingTest : public ::testing::TestWithParam<WaitingRow> {
 protected:
  static std::vector<Place> PlacesWith(Use use) {
    std::vector<Place> places;
    for (const Place place : kPlaces) {
      if (GetParam().UseAt(place) == use) places.push_back(place);
    }
    return places;
  }
  // Someone waits there for so long; how to end it.
  static WaitingRow::End WaitAt(ActivityBench& bench, Duration span) {
    bench.engine().Advance(kBefore);
    WaitingRow::End end = GetParam().begin(bench);
    bench.engine().Run();
    // By and by, so that the broker looks in between whether the entity is used.
    for (; span > Duration(0); span -= minutes(1)) bench.engine().Advance(minutes(1));
    return end;
  }
};

TEST_P(WaitingTest, CountsUntilItsEnd) {  // ADI-9
  for (const Place place : PlacesWith(Use::kUse)) {
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, Stock::kNothing);
    const WaitingRow::End end = WaitAt(bench, kWaits);

    end();
    bench.engine().Run();

    EXPECT_TRUE(bench.GoesIn(ActivityBench::kIdle));
  }
}

TEST_P(WaitingTest, ThatEndedIsRememberedOverARestart) {  // ADI-13
  for (const Place place : PlacesWith(Use::kUse)) {
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, Stock::kNothing);
    const WaitingRow::End end = WaitAt(bench, kWaits);
    end();
    bench.engine().Run();

    bench.Restart();

    EXPECT_TRUE(bench.GoesIn(ActivityBench::kIdle));
  }
}

TEST_P(WaitingTest, ThatEndsInVainCountsUntilThen) {  // ADI-9
  for (const Place place : PlacesWith(Use::kUse)) {
    if (!GetParam().ends_by_itself) continue;
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, Stock::kNothing);

    WaitAt(bench, minutes(5));

    EXPECT_TRUE(bench.GoesIn(ActivityBench::kIdle));
  }
}

TEST_P(WaitingTest, ThatACrashEndedLeavesTimeToComeBack) {  // ADI-15
  for (const Place place : PlacesWith(Use::kUse)) {
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, Stock::kNothing);
    WaitAt(bench, kWaits);

    bench.Restart();

    bench.engine().Advance(ActivityBench::kLeftAfterStart - seconds(1));
    EXPECT_TRUE(bench.IsThere());
  }
}

// Only that it came is a use.
TEST_P(WaitingTest, ForNothingThatItCouldTakeDoesNotCount) {
  for (const Place place : PlacesWith(Use::kNone)) {
    SCOPED_TRACE("at " + NameOf(place));
    ActivityBench bench(place, Stock::kNothing);

    WaitAt(bench, kWaits);

    EXPECT_TRUE(bench.GoesIn(ActivityBench::kIdle - kWaits));
  }
}

INSTANTIATE_TEST_SUITE_P(All, WaitingTest, ::testing::ValuesIn(WaitingRows()),
                         [](const auto& row) { return TestName(row.param.name()); });

// --- the table has a row for everything

std::vector<const google::protobuf::FileDescriptor*> ApiFiles() {
  return {v1::ClockTime::descriptor()->file(),       v1::QueueProperties::descriptor()->file(),
          v1::Message::descriptor()->file(),         v1::SendRequest::descriptor()->file(),
          v1::AcceptedSession::descriptor()->file(), v1::TopicProperties::descriptor()->file(),
          v1::Transaction::descriptor()->file()};
}

std::set<std::string> MethodsOfTheApi() {
  std::set<std::string> methods;
  for (const auto* file : ApiFiles()) {
    for (int i = 0; i < file->service_count(); ++i) {
      const auto* service = file->service(i);
      for (int j = 0; j < service->method_count(); ++j) {
        methods.insert(service->name() + "." + service->method(j)->name());
      }
    }
  }
  return methods;
}

TEST(ActivityTableTest, EveryMethodOfTheApiHasARow) {
  std::set<std::string> rows;
  for (const ActivityRow& row : ActivityRows()) rows.emplace(row.method);

  EXPECT_EQ(rows, MethodsOfTheApi());
}

TEST(ActivityTableTest, EveryWaitIsOfAMethod) {
  const std::set<std::string> methods = MethodsOfTheApi();
  for (const WaitingRow& row : WaitingRows()) {
    EXPECT_TRUE(methods.contains(std::string(row.method))) << row.name();
  }
}

TEST(ActivityTableTest, EveryFileOfTheApiIsLookedAt) {
  // What is asked of a cluster, and of backups, is about nodes, and no entity.
  std::set<std::string> looked_at = {"backups.proto", "cluster.proto"};
  for (const auto* file : ApiFiles()) {
    looked_at.insert(std::filesystem::path(file->name()).filename());
  }
  for (const auto& entry : std::filesystem::directory_iterator(WHARF_API_FOLDER)) {
    EXPECT_TRUE(looked_at.contains(entry.path().filename())) << entry.path();
  }
}

// --- what takes longer than one call

TEST(LongUseTest, AWaitForASessionOfASubscriptionIsAUseOfItsTopic) {  // ADI-4, ADI-9
  EngineHarness engine;
  const std::string path = "news/Subscriptions/all";
  ASSERT_TRUE(
      engine.Create(EntityKind::kTopic, {.name = "news", .auto_delete_on_idle = minutes(5)}).ok());
  ASSERT_TRUE(
      engine.Create(EntityKind::kSubscription, {.name = path, .requires_session = true}).ok());
  engine.Advance(minutes(4));

  engine.broker().AcceptSession(path, {std::nullopt, minutes(4)},
                                [](const Result<AcceptedSession>&) {});
  engine.Run();

  engine.Advance(minutes(2));
  EXPECT_TRUE(engine.Get(EntityKind::kTopic, "news").ok());
  engine.Advance(minutes(6));
  EXPECT_TRUE(engine.Get(EntityKind::kTopic, "news").ok());
}

// One that takes three minutes for each piece of a body is slow, but it is there.
TEST(LongUseTest, ASlowUploadIsAUseFromItsFirstByteToItsLast) {  // ADI-3
  constexpr std::uint64_t kPieces = 5;
  EngineHarness engine;
  QueueDescription large{.name = "orders", .auto_delete_on_idle = minutes(5)};
  large.max_message_size_in_kilobytes = 10240;
  ASSERT_TRUE(engine.CreateQueue(large).ok());
  engine.Advance(minutes(3));
  Status receipt(ErrorCode::kServiceTimeout, "none yet");

  const auto upload = engine.broker().BeginUpload(
      "orders", {}, kPieces * kBodyChunkBytes, [] {},
      [&receipt](const Result<SendOutcome>& sent) { receipt = sent.status(); });
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    engine.Run();
    engine.Advance(minutes(3));
    upload->Write(std::string(kBodyChunkBytes, 'x'));
  }
  engine.Run();

  EXPECT_TRUE(receipt.ok()) << receipt.ToString();
}

TEST(LongUseTest, AJobIsAUseForAsLongAsItRuns) {
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue({.name = "orders", .auto_delete_on_idle = minutes(5)}).ok());
  ASSERT_TRUE(engine.CreateQueue({.name = "retry"}).ok());
  ASSERT_TRUE(engine.Send("orders", std::vector<Message>(20)).ok());
  const auto received = engine.Receive("orders", 20);
  for (const Delivered& delivered : *received) {
    ASSERT_TRUE(engine.DeadLetter("orders", delivered.token).ok());
  }
  const JobId job = engine
                        .BeginJob({.verb = JobVerb::kRedrive,
                                   .path = "orders/$DeadLetterQueue",
                                   .target = "retry",
                                   .rate_max = 1})
                        ->id;

  for (int i = 0; i < 10; ++i) engine.Advance(minutes(1));

  EXPECT_TRUE(engine.GetQueue("orders").ok());
  EXPECT_EQ(engine.GetJob(job)->state, JobState::kRunning);
}

}  // namespace
}  // namespace wharf
