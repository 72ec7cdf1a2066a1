// What workers share: touched lanes, deadlines, registrations, the publisher.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "broker/engine/turn/deadlines.h"
#include "broker/engine/turn/publisher.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/touched_lanes.h"
#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr LaneId kLane{EntityId(1), LaneKind::kMain};
constexpr LaneId kOther{EntityId(2), LaneKind::kMain};

TEST(TouchedLanesTest, WhatIsTouchedWhileLanesAreMatchedIsMatchedInTheNextTurn) {
  TouchedLanes touched;
  touched.Begin();
  touched.Touch(kLane);
  touched.BeginMatching();
  touched.Touch(kOther);
  touched.EndMatching();
  EXPECT_EQ(touched.TakeForCounters(), TouchedLanes::Lanes{kLane});
  EXPECT_TRUE(touched.has_next());

  touched.Begin();
  EXPECT_EQ(touched.lanes(), TouchedLanes::Lanes{kOther});
  EXPECT_FALSE(touched.has_next());
}

// Keeps what is posted until it is run by hand.
class HeldThread final : public Executor {
 public:
  void Post(Work work) override { posted_.push_back(std::move(work)); }
  void RunAll() {
    for (Work& work : std::exchange(posted_, {})) std::move(work)();
  }
  std::size_t posted() const { return posted_.size(); }

 private:
  std::vector<Work> posted_;
};

class PublisherTest : public ::testing::Test {
 protected:
  using Length = Tellings::Length;

  // A turn of which so many are told.
  void Publish(const std::string& what, Length length, int count = 1) {
    Tellings tellings{Status()};
    for (int i = 0; i < count; ++i) {
      tellings.Add([this, what](const Status&) { told_.push_back(what); }, length);
    }
    publisher_.Publish(std::move(tellings));
  }

  HeldThread thread_;
  Publisher publisher_{thread_};
  std::vector<std::string> told_;
};

TEST_F(PublisherTest, ABriefAnswerIsToldAtOnce) {
  Publish("sent", Length::kBrief);
  EXPECT_THAT(told_, ElementsAre("sent"));
  EXPECT_EQ(thread_.posted(), 0U);
}

TEST_F(PublisherTest, WhatTakesTimeIsToldOnTheThread) {
  Publish("messages", Length::kAny);
  Publish("sent", Length::kBrief, 100);
  EXPECT_THAT(told_, IsEmpty());

  thread_.RunAll();
  EXPECT_THAT(told_, SizeIs(101));
}

TEST_F(PublisherTest, ABriefAnswerOvertakesNothing) {
  Publish("messages", Length::kAny);
  Publish("sent", Length::kBrief);
  EXPECT_THAT(told_, IsEmpty());

  thread_.RunAll();
  EXPECT_THAT(told_, ElementsAre("messages", "sent"));
  Publish("sent later", Length::kBrief);
  EXPECT_THAT(told_, ElementsAre("messages", "sent", "sent later"));
}

class NotedUseTest : public WorkerFixture {
 protected:
  // A turn a while later that matches these; what is used is noted meanwhile.
  Changes MatchAndUse(const TouchedLanes::Lanes& matched, Queue& used) {
    clock_.Advance(std::chrono::minutes(2));
    return Plan([&](Turn& turn) {
      for (const LaneId lane : matched) touched_.Touch(lane);
      touched_.BeginMatching();
      touched_.NoteUse(used, MainOf(used), turn.now);
      touched_.EndMatching();
    });
  }
  static Timestamp WrittenIn(const Changes& changes, const Queue& queue) {
    for (const Change& change : changes) {
      const auto* written = std::get_if<CountersChanged>(&change);
      if (written != nullptr && written->lane == MainOf(queue)) return written->counters->active_at;
    }
    return {};
  }
};

TEST_F(NotedUseTest, OfALaneThatIsMatchedIsWrittenInThisTurn) {  // ADI-13
  Queue& queue = Create({.name = "orders"});
  const Changes changes = MatchAndUse({MainOf(queue)}, queue);

  EXPECT_EQ(WrittenIn(changes, queue), now());
  EXPECT_FALSE(touched_.has_next());
}

TEST_F(NotedUseTest, OfAnotherLaneIsWrittenInTheNext) {  // ADI-13
  Queue& queue = Create({.name = "orders"});
  Queue& other = Create({.name = "other"});
  MatchAndUse({MainOf(other)}, queue);
  ASSERT_TRUE(touched_.has_next());

  EXPECT_EQ(WrittenIn(Plan([](Turn&) {}), queue), now());
}

// Nobody would write its counters.
TEST(TouchedLanesDeathTest, NothingIsTouchedBehindTheCounters) {
  TouchedLanes touched;
  touched.Begin();
  touched.TakeForCounters();
  EXPECT_DEATH(touched.Touch(kLane), "phase_");
}

TEST(DeadlinesTest, EachHasOneAndTheFirstComesFirst) {
  Deadlines<int> deadlines;
  const Timestamp start{};
  deadlines.Set(1, start + Duration(10));
  deadlines.Set(2, start + Duration(5));
  deadlines.Set(1, start + Duration(3));
  EXPECT_EQ(deadlines.next(), start + Duration(3));
  EXPECT_EQ(deadlines.TakeDue(start + Duration(2)), std::nullopt);
  EXPECT_EQ(deadlines.TakeDue(start + Duration(5)), 1);
  EXPECT_EQ(deadlines.TakeDue(start + Duration(5)), 2);
  EXPECT_EQ(deadlines.TakeDue(kNever), std::nullopt);
  deadlines.Set(2, start);
  deadlines.Set(2, kNever);
  EXPECT_EQ(deadlines.next(), kNever);
}

class Timed final : public TimedWorker {
 public:
  void PlanDue(Turn&) override { ++planned; }
  Timestamp next_deadline() const override { return deadline; }
  int planned = 0;
  Timestamp deadline = kNever;
};
class Busy final : public BusyWorker {
 public:
  bool is_busy() const override { return busy; }
  bool busy = false;
};

TEST(RegistrationsTest, TheNextDeadlineIsTheEarliestOfAll) {
  Timed early;
  Timed late;
  Registrations registrations;
  registrations.Add(late);
  registrations.Add(early);
  EXPECT_EQ(registrations.next_deadline(), kNever);
  late.deadline = Timestamp(Duration(9));
  early.deadline = Timestamp(Duration(4));
  EXPECT_EQ(registrations.next_deadline(), early.deadline);

  Turn turn{Timestamp()};
  registrations.PlanDue(turn);
  EXPECT_EQ(early.planned, 1);
  EXPECT_EQ(late.planned, 1);
}

TEST(RegistrationsTest, WhatWasDueAndIsUnderWayIsStillDue) {
  Timed timed;
  Busy busy;
  Registrations registrations;
  registrations.Add(timed);
  registrations.Add(busy);
  timed.deadline = Timestamp(Duration(4));
  EXPECT_FALSE(registrations.HasDue(Timestamp(Duration(3))));
  EXPECT_TRUE(registrations.HasDue(Timestamp(Duration(4))));
  timed.deadline = kNever;
  busy.busy = true;
  EXPECT_TRUE(registrations.HasDue(Timestamp()));
}

class Hearing final : public EntityEndListener {
 public:
  Hearing(std::string name, std::vector<std::string>& heard)
      : name_(std::move(name)), heard_(heard) {}
  void OnEntityDeleted(EntityId, const Status& reason, Turn&) override {
    heard_.push_back(name_ + ": " + reason.message());
  }

 private:
  const std::string name_;
  std::vector<std::string>& heard_;
};

TEST(RegistrationsTest, EachIsToldInTheOrderOfTheRegistrations) {
  std::vector<std::string> heard;
  Hearing first("first", heard);
  Hearing second("second", heard);
  Timed timed;
  Registrations registrations;
  registrations.Add(second);
  registrations.Add(timed);
  registrations.Add(first);
  Turn turn{Timestamp()};
  registrations.TellDeleted(EntityId(1), {ErrorCode::kGeneralError, "gone"}, turn);
  EXPECT_EQ(heard, (std::vector<std::string>{"second: gone", "first: gone"}));
}

}  // namespace
}  // namespace wharf
