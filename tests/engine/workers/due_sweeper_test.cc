// The sweeper: one read at a time, nothing missed that changes meanwhile, nothing done too early.

#include "broker/engine/background/due_sweeper.h"

#include <map>

#include "broker/core/changes/shared_hint_row.h"
#include "broker/reading/message_reader.h"
#include "broker/reading/scheduled_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kGrain = std::chrono::milliseconds(100);

// Remembers where cursors of `due` began.
class ScanRecordingView final : public StoreView {
 public:
  explicit ScanRecordingView(const StoreView& view) : view_(view) {}
  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    return view_.Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    if (table == IdOf(Table::kDue)) begins.push_back(range.begin);
    return view_.Scan(table, range);
  }
  mutable std::vector<std::string> begins;

 private:
  const StoreView& view_;
};

class DueSweeperTest : public WorkerFixture {
 protected:
  // Scheduled for a minute from now; that minute is over.
  void Schedule(std::size_t count = 1) {
    due_ = now() + minutes(1);
    ScheduleFor(queue_, due_, count);
    clock_.Advance(minutes(1));
  }
  void ScheduleFor(Queue& queue, Timestamp due, std::size_t count = 1) {
    std::vector<Message> messages = Messages(count);
    for (Message& message : messages) message.scheduled_enqueue_time = due;
    NoteDue(Send(queue, std::move(messages)));
  }
  void SendBrief(std::size_t count, Duration life = minutes(1)) {
    std::vector<Message> messages = Messages(count);
    for (Message& message : messages) message.time_to_live = life;
    NoteDue(Send(queue_, std::move(messages)));
  }
  // They expire in a minute; that minute is over.
  void LetExpire(std::size_t count) {
    SendBrief(count);
    clock_.Advance(minutes(1));
  }
  static std::vector<SharedHint> SharedIn(const Changes& changes) {
    std::vector<SharedHint> shared;
    for (const Change& change : changes) {
      if (const auto* each = std::get_if<HintShared>(&change)) shared.push_back(each->shared);
    }
    return shared;
  }
  std::unique_ptr<StoreCursor> ScanHints(const StoreView& view) {
    return view.Scan(IdOf(Table::kDue), DueRange(queue_.record().id.bucket(), {}, kNever));
  }
  std::size_t Hints() {
    const auto view = store_.View();
    const auto rows = ScanHints(*view);
    std::size_t count = 0;
    for (; rows->valid(); rows->Next()) ++count;
    return count;
  }
  std::vector<SharedHint> AllShared() {
    std::vector<SharedHint> shared;
    const auto view = store_.View();
    for (const auto rows = ScanHints(*view); rows->valid(); rows->Next()) {
      const DueHint hint = *HintOfDueKey(rows->key());
      if (hint.kind != DueKind::kExpireShared) continue;
      shared.push_back(*DecodeSharedHint(hint, rows->value()));
    }
    return shared;
  }
  static const MessagesExpired* RunIn(const Changes& changes) {
    for (const Change& change : changes) {
      if (const auto* run = std::get_if<MessagesExpired>(&change)) return run;
    }
    return nullptr;
  }
  static std::int64_t Active(const Queue& queue) {
    return queue.lane(LaneKind::kMain).counters().messages();
  }
  // Of the messages that were activated, their queues in order.
  static std::vector<EntityId> Activated(const Changes& changes) {
    std::vector<EntityId> queues;
    for (const Change& change : changes) {
      const auto* activated = std::get_if<MessageActivated>(&change);
      if (activated != nullptr) queues.push_back(activated->lane.entity);
    }
    return queues;
  }
  void NoteDue(const Changes& changes) {
    for (const Change& change : changes) sweeper_.Note(DueTimeOf(change));
  }
  Changes PlanDue() {
    return Plan([&](Turn& turn) { sweeper_.PlanDue(turn); });
  }

  Changes TakeReadWithRoomForOne() {
    Task found = Read();
    return Plan([&](Turn& turn) {
      Fill(turn);
      turn.changes.pop_back();
      std::move(found)(turn);
    });
  }

  MessagePtr FirstScheduled() {
    const auto view = store_.View();
    return ListScheduled(*view, {.entity = queue_.record().id, .bytes_max = 1 << 20})
        ->messages.front();
  }

  Queue& queue_ = Create({.name = "orders"});
  // Each in a bucket of its own.
  Queue& other_ = Create({.name = "bills"});
  DueSweeper sweeper_{context_, {{queue_.record().id.bucket(), now()}}, kGrain};
  Timestamp due_;
};

TEST_F(DueSweeperTest, NothingIsReadBeforeSomethingMayBeDue) {
  Schedule();
  clock_.Advance(-seconds(2));
  PlanDue();
  TakeAllReads();
  EXPECT_GT(sweeper_.next_deadline(), now());
  EXPECT_LE(sweeper_.next_deadline(), due_);
  EXPECT_FALSE(sweeper_.is_busy());
}

TEST_F(DueSweeperTest, OneReadIsUnderWayAtATime) {
  Schedule();
  PlanDue();
  PlanDue();
  sweeper_.Note({queue_.record().id.bucket(), now() - seconds(1)});
  PlanDue();

  EXPECT_EQ(reads_.works.size(), 1U);
  EXPECT_EQ(reads_.last_urgency, Urgency::kAwaited);
  EXPECT_TRUE(sweeper_.is_busy());
  EXPECT_EQ(sweeper_.next_deadline(), kNever);
}

TEST_F(DueSweeperTest, WhatIsDueIsDoneWithItsHint) {
  Schedule(3);
  PlanDue();
  const Changes changes = TakeRead();

  EXPECT_EQ(Count<MessageActivated>(changes), 3U);
  EXPECT_TRUE(was_touched_.contains(MainOf(queue_)));
  TakeAllReads();
  EXPECT_GT(sweeper_.next_deadline(), now());
}

// It came while a read was under way that was too early to see it.
TEST_F(DueSweeperTest, WhatBecomesDueWhileItReadsIsNotForgotten) {
  clock_.Advance(seconds(1));
  PlanDue();
  Task found = Read();
  Schedule();
  TakeRead(std::move(found));
  TakeAllReads();

  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 1);
}

TEST_F(DueSweeperTest, WhatChangedWhileItWasReadIsLookedAtAgain) {
  Schedule(2);
  PlanDue();
  Task found = Read();
  Plan([&](Turn& turn) {
    const MessagePtr first = FirstScheduled();
    ASSERT_TRUE(queue_.scheduled()
                    .Activate({first->number}, {{{first->number, first}}}, turn.now, turn.changes)
                    .ok());
  });
  EXPECT_EQ(Count<MessageActivated>(TakeRead(std::move(found))), 1U);

  EXPECT_EQ(reads_.works.size(), 1U);
  TakeAllReads();
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 2);
}

TEST_F(DueSweeperTest, WhatDoesNotFitIntoTheTurnIsDoneInTheNext) {
  Schedule(2);
  PlanDue();
  Task found = Read();
  const Changes full = Plan([&](Turn& turn) {
    Fill(turn);
    std::move(found)(turn);
  });
  EXPECT_EQ(Count<MessageActivated>(full), 0U);

  EXPECT_EQ(reads_.works.size(), 1U);
  TakeAllReads();
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 2);
}

TEST_F(DueSweeperTest, WhatIsLeftOfABacklogIsReadBehindWhatIsAwaited) {
  Schedule(2);
  PlanDue();
  ASSERT_EQ(reads_.last_urgency, Urgency::kAwaited);
  Task found = Read();
  Plan([&](Turn& turn) {
    Fill(turn);
    std::move(found)(turn);
  });
  EXPECT_EQ(reads_.last_urgency, Urgency::kBackground);
  TakeAllReads();

  Schedule();
  clock_.Advance(seconds(10));
  PlanDue();
  EXPECT_EQ(reads_.last_urgency, Urgency::kAwaited);
}

TEST_F(DueSweeperTest, WhatExpiresBehindEachOtherIsOneChangeWithItsHints) {  // TTL-10
  LetExpire(20);
  PlanDue();
  const Changes changes = TakeRead();

  EXPECT_EQ(Count<MessagesExpired>(changes), 1U);
  // That of the first, and the one that the others share.
  EXPECT_EQ(Count<DueHintDropped>(changes), 2U);
  EXPECT_EQ(Count<MessageRemoved>(changes), 0U);
  EXPECT_TRUE(was_touched_.contains(MainOf(queue_)));
  EXPECT_EQ(Active(queue_), 0);
}

TEST_F(DueSweeperTest, WhatWasDeliveredMeanwhileIsNoPartOfARun) {  // TTL-7
  LetExpire(20);
  PlanDue();
  Task found = Read();
  Plan([&](Turn& turn) {
    queue_.lane(LaneKind::kMain).LockHead(nullptr, LockToken(), kNever, {}, turn.changes);
    touched_.Touch(MainOf(queue_));
  });
  const Changes changes = TakeRead(std::move(found));

  ASSERT_NE(RunIn(changes), nullptr);
  EXPECT_EQ(RunIn(changes)->first, SequenceNumber(2));
  EXPECT_EQ(RunIn(changes)->count, 19);
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().locked, 1);
}

// They were counted out at the head of their lane.
TEST_F(DueSweeperTest, WhatExpiredMeanwhileIsNotCountedOutTwice) {
  LetExpire(20);
  PlanDue();
  Task found = Read();
  Plan([&](Turn& turn) {
    queue_.receiving().ExpireHeads({LaneKind::kMain}, turn.now, 1, turn.changes);
    touched_.Touch(MainOf(queue_));
  });
  const Changes changes = TakeRead(std::move(found));

  EXPECT_EQ(RunIn(changes), nullptr);
  EXPECT_EQ(Count<MessageRemoved>(changes), 0U);
  EXPECT_TRUE(queue_.lane(LaneKind::kMain).contradiction().ok());
}

TEST_F(DueSweeperTest, WhatIsLeftOfASharedHintIsLookedAtAgain) {  // TTL-10
  SendBrief(20);
  clock_.Advance(milliseconds(500));
  SendBrief(20);
  clock_.Advance(minutes(1) - milliseconds(500));
  PlanDue();
  const Changes changes = TakeRead();

  EXPECT_EQ(RunIn(changes)->count, 20);
  ASSERT_EQ(SharedIn(changes).size(), 1U);
  const DueHint moved = SharedIn(changes)[0].hint;
  EXPECT_EQ(moved.number, SequenceNumber(21));
  EXPECT_EQ(moved.time, now() + milliseconds(500));
  NoteDue(changes);
  TakeAllReads();
  EXPECT_EQ(sweeper_.next_deadline(), moved.time);
  clock_.Advance(milliseconds(500));
  PlanDue();
  TakeAllReads();
  EXPECT_EQ(Active(queue_), 0);
  EXPECT_EQ(Hints(), 0U);
}

TEST_F(DueSweeperTest, WhatExpiresWithinTheGrainOfTheNextLookGoesTogether) {  // TTL-10
  SendBrief(2);
  for (int i = 0; i < 50; ++i) {
    clock_.Advance(milliseconds(1));
    SendBrief(1);
  }
  clock_.Advance(minutes(1) - milliseconds(50));
  PlanDue();
  NoteDue(TakeRead());
  TakeAllReads();

  EXPECT_EQ(Active(queue_), 50);
  EXPECT_EQ(sweeper_.next_deadline(), now() + kGrain);
  clock_.Advance(kGrain);
  PlanDue();
  const Changes changes = TakeRead();
  EXPECT_EQ(RunIn(changes)->count, 50);
  EXPECT_EQ(Hints(), 0U);
}

// The hint has gone with those that it brought.
TEST_F(DueSweeperTest, NobodyJoinsAHintWhoseTimeHasCome) {  // TTL-6
  SendBrief(3, milliseconds(300));
  clock_.Advance(milliseconds(300));
  PlanDue();
  TakeAllReads();
  ASSERT_EQ(Active(queue_), 0);

  SendBrief(3, milliseconds(300));
  clock_.Advance(milliseconds(400));
  PlanDue();
  TakeAllReads();

  EXPECT_EQ(Active(queue_), 0);
  EXPECT_EQ(Hints(), 0U);
}

TEST_F(DueSweeperTest, WhatOfASharedHintChangedMeanwhileIsLookedAtAgain) {  // TTL-7
  LetExpire(20);
  PlanDue();
  Task found = Read();
  queue_.lane(LaneKind::kMain).NoteScheduled(SequenceNumber(15));
  const Changes changes = TakeRead(std::move(found));

  EXPECT_EQ(RunIn(changes)->count, 19);
  ASSERT_EQ(SharedIn(changes).size(), 1U);
  EXPECT_EQ(SharedIn(changes)[0].hint.number, SequenceNumber(15));
  TakeAllReads();
  EXPECT_EQ(Active(queue_), 0);
  EXPECT_EQ(Hints(), 0U);
}

TEST_F(DueSweeperTest, WhatOfASharedHintDoesNotFitIntoTheTurnIsDoneInTheNext) {
  LetExpire(20);
  PlanDue();
  Task found = Read();
  const Changes full = Plan([&](Turn& turn) {
    Fill(turn);
    std::move(found)(turn);
  });
  EXPECT_EQ(RunIn(full), nullptr);
  EXPECT_EQ(SharedIn(full).size(), 0U);
  EXPECT_EQ(Hints(), 2U);

  TakeAllReads();
  EXPECT_EQ(Active(queue_), 0);
  EXPECT_EQ(Hints(), 0U);
}

// What comes when the hint is due already is not in what the sweeper reads.
TEST_F(DueSweeperTest, WhatComesWhileASharedHintIsReadIsNotForgotten) {  // TTL-10
  LetExpire(20);
  PlanDue();
  Task found = Read();
  SendBrief(5, Duration(1));
  TakeRead(std::move(found));
  clock_.Advance(Duration(1));
  PlanDue();
  TakeAllReads();

  EXPECT_EQ(Active(queue_), 0);
}

// Of two that mean the same messages the one is moved on to where the other begins.
TEST_F(DueSweeperTest, ASharedHintThatIsMovedOnTakesNoOthersPlace) {  // TTL-10
  SendBrief(20);
  clock_.Advance(milliseconds(500));
  SendBrief(20);
  WriteBatch batch;
  const SharedHint first = AllShared().at(0);
  SharedHint other = first;
  other.hint = {now() + minutes(1), DueKind::kExpireShared, first.hint.lane, SequenceNumber(21)};
  other.end = first.end.Next();
  other.came_until += minutes(1);
  other.expire_until += minutes(1);
  batch.Put(IdOf(Table::kDue), DueKey(RowOf(other)), EncodeSharedHint(other));
  ASSERT_TRUE(store_.Apply(batch).ok());
  clock_.Advance(minutes(1) - milliseconds(500));
  PlanDue();
  const Changes changes = TakeRead();

  ASSERT_EQ(SharedIn(changes).size(), 1U);
  EXPECT_EQ(SharedIn(changes)[0].hint, other.hint);
  ASSERT_EQ(AllShared().size(), 2U);
  EXPECT_EQ(AllShared()[1], other);
}

// A lane that was loaded anew begins to share another one.
TEST_F(DueSweeperTest, WhatTwoSharedHintsMeanIsCountedOutOnce) {  // TTL-10
  LetExpire(20);
  WriteBatch batch;
  SharedHint again = AllShared().at(0);
  again.hint.number = SequenceNumber(10);
  again.end = again.end.Next();
  batch.Put(IdOf(Table::kDue), DueKey(RowOf(again)), EncodeSharedHint(again));
  ASSERT_TRUE(store_.Apply(batch).ok());
  PlanDue();
  const Changes changes = TakeRead();

  EXPECT_EQ(Count<MessagesExpired>(changes), 1U);
  EXPECT_EQ(RunIn(changes)->count, 20);
  EXPECT_EQ(Hints(), 0U);
}

TEST_F(DueSweeperTest, OfAPurgedLaneASharedHintIsDropped) {  // PRG-1
  LetExpire(20);
  Plan([&](Turn& turn) {
    touched_.Touch(MainOf(queue_));
    queue_.lane(LaneKind::kMain).Purge(1, turn.changes);
  });
  PlanDue();
  TakeAllReads();

  EXPECT_EQ(Hints(), 0U);
}

TEST_F(DueSweeperTest, ASharedHintThatIsDamagedIsDropped) {
  LetExpire(20);
  WriteBatch batch;
  batch.Put(IdOf(Table::kDue), DueKey(RowOf(AllShared().at(0))), "?");
  ASSERT_TRUE(store_.Apply(batch).ok());
  PlanDue();
  TakeAllReads();

  EXPECT_EQ(Active(queue_), 19);
  EXPECT_EQ(Hints(), 0U);
}

// Each was begun for messages that are gone since.
TEST_F(DueSweeperTest, OfSharedHintsThatFindNothingAStepTakesNoMoreThanOfMessages) {
  constexpr std::size_t kHints = 5000;
  WriteBatch batch;
  const Shelf shelf(queue_.record().id, LaneKind::kMain);
  const Timestamp due = now() + seconds(1);
  for (std::size_t i = 0; i < kHints; ++i) {
    const SharedHint shared{{due, DueKind::kExpireShared, shelf, SequenceNumber(1 + i)},
                            SequenceNumber(2 + i),
                            now(),
                            due};
    batch.Put(IdOf(Table::kDue), DueKey(RowOf(shared)), EncodeSharedHint(shared));
  }
  ASSERT_TRUE(store_.Apply(batch).ok());
  sweeper_.Note({queue_.record().id.bucket(), due});
  clock_.Advance(seconds(1));
  PlanDue();

  EXPECT_LT(Count<DueHintDropped>(TakeRead()), 2100U);
  TakeAllReads();
  EXPECT_EQ(Hints(), 0U);
}

// What it does not mean is looked at, too, and there may be much of it.
TEST_F(DueSweeperTest, AmongManyOthersASharedHintFindsItsOwn) {  // TTL-10
  SendBrief(10);
  Send(queue_, Messages(10'000));
  SendBrief(10);
  clock_.Advance(minutes(1));
  PlanDue();
  TakeAllReads();

  EXPECT_EQ(Active(queue_), 10'000);
  EXPECT_EQ(Hints(), 0U);
}

// What came later has other hints.
TEST_F(DueSweeperTest, BehindWhatItMeansASharedHintReadsNothing) {
  SendBrief(10);
  clock_.Advance(seconds(2));
  Send(queue_, Messages(10'000));
  clock_.Advance(minutes(1) - seconds(2));
  PlanDue();
  TakeRead();

  EXPECT_EQ(Active(queue_), 10'000);
  EXPECT_EQ(Hints(), 0U);
}

// As many as share some hints. When the first step has counted some of them out a reader makes runs
// of the others.
class RunsOfReaderTest : public DueSweeperTest {
 protected:
  static constexpr std::int64_t kMany = 20'000;

  void SetUp() override {
    LetExpire(kMany);
    PlanDue();
    counted_out_ = CountedOutIn(TakeRead());
    ASSERT_GT(counted_out_, 0);
    ASSERT_LT(counted_out_, 4000);
    size_ = Find(kMidst).message->facts.size;
  }
  static std::int64_t CountedOutIn(const Changes& changes) {
    std::int64_t count = 0;
    for (const Change& change : changes) {
      if (const auto* run = std::get_if<MessagesExpired>(&change)) count += run->count;
    }
    return count;
  }
  // Of all that is read from now on.
  std::int64_t CountOutAll() {
    while (!reads_.works.empty()) counted_out_ += CountedOutIn(TakeRead());
    return counted_out_;
  }
  Lane& lane() { return queue_.lane(LaneKind::kMain); }
  FoundMessage Find(SequenceNumber number) {
    const SpanView view(store_.View());
    Result<FoundMessages> found = ReadFound(view, lane().shelf(), {number}, /*with_bodies=*/false);
    return *found->at(number);
  }
  // By its number.
  void Lock(SequenceNumber number, Turn& turn) {
    lane().LockFound(Find(number), LockToken(), kNever, {}, turn.changes);
    touched_.Touch(MainOf(queue_));
  }
  void ExpectWhole() {
    EXPECT_TRUE(lane().contradiction().ok()) << lane().contradiction().message();
    // All are alike.
    EXPECT_EQ(lane().counters().bytes, Active(queue_) * size_);
    EXPECT_EQ(Hints(), 0U);
  }
  // In the midst of what is left.
  static constexpr SequenceNumber kMidst{10'000};

  std::int64_t counted_out_ = 0;
  std::int64_t size_ = 0;
};

TEST_F(RunsOfReaderTest, HoweverManyExpireTheShardLooksAtAFewRuns) {  // TTL-10
  Task found = Read();
  const Changes changes = TakeRead(std::move(found));

  EXPECT_EQ(counted_out_ + CountedOutIn(changes), kMany);
  // As many as they have hints.
  EXPECT_LE(Count<MessagesExpired>(changes), 1U + kMany / SharedHints::kNumbersMax);
  EXPECT_LE(changes.size(), 20U);
  EXPECT_TRUE(was_touched_.contains(MainOf(queue_)));
  EXPECT_EQ(Active(queue_), 0);
  EXPECT_LE(TakeAllReads(), 1);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, WhatWasDeliveredMeanwhileIsInNoRun) {  // TTL-7
  Task found = Read();
  Plan([&](Turn& turn) { Lock(kMidst, turn); });
  const Changes changes = TakeRead(std::move(found));
  EXPECT_GT(CountedOutIn(changes), kMany / 2);
  counted_out_ += CountedOutIn(changes);

  EXPECT_EQ(CountOutAll(), kMany - 1);
  EXPECT_EQ(lane().counters().locked, 1);
  EXPECT_EQ(Active(queue_), 1);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, ARunOfWhichAnythingChangedIsReadAgain) {
  Task found = Read();
  lane().NoteScheduled(kMidst);
  const Changes changes = TakeRead(std::move(found));

  // Not the one that it stands in.
  EXPECT_LT(counted_out_ + CountedOutIn(changes), kMany);
  ASSERT_EQ(AllShared().size(), 1U);
  EXPECT_LE(AllShared()[0].hint.number, kMidst);
  EXPECT_GT(AllShared()[0].end, kMidst);
  counted_out_ += CountedOutIn(changes);
  EXPECT_EQ(CountOutAll(), kMany);
  EXPECT_EQ(Active(queue_), 0);
  ExpectWhole();
}

// By a lane that has receivers.
TEST_F(RunsOfReaderTest, WhatWasCountedOutMeanwhileIsNotCountedTwice) {
  Task found = Read();
  const std::int64_t before = Active(queue_);
  Plan([&](Turn& turn) {
    MessageRun run = lane().BeginRun();
    for (std::uint64_t i = 0; i < 100; ++i) {
      run.Extend(SequenceNumber(kMidst.value() + i), size_, MessageRun::Between::kUnknown);
    }
    ASSERT_TRUE(lane().ExpireRun(run, turn.now, turn.changes));
    touched_.Touch(MainOf(queue_));
  });
  ASSERT_EQ(Active(queue_), before - 100);
  counted_out_ += CountedOutIn(TakeRead(std::move(found)));

  EXPECT_EQ(CountOutAll(), kMany - 100);
  EXPECT_EQ(Active(queue_), 0);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, OfALaneThatWasPurgedMeanwhileNothingIsCountedOut) {  // PRG-1
  Task found = Read();
  Plan([&](Turn& turn) {
    touched_.Touch(MainOf(queue_));
    lane().Purge(1, turn.changes);
  });

  EXPECT_EQ(CountedOutIn(TakeRead(std::move(found))), 0);
  TakeAllReads();
  EXPECT_EQ(Active(queue_), 0);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, WhatBecomesADeadLetterSinceGoesOneByOne) {  // TTL-9
  Task found = Read();
  Plan([&](Turn& turn) {
    QueueDescription description = queue_.description();
    description.dead_lettering_on_message_expiration = true;
    queue_.Update(std::move(description), turn.now, turn.changes);
  });

  EXPECT_EQ(CountedOutIn(TakeRead(std::move(found))), 0);
  TakeAllReads();
  EXPECT_EQ(Active(queue_), 0);
  EXPECT_EQ(queue_.lane(LaneKind::kDeadLetter).counters().messages(), kMany - counted_out_);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, RunsThatDoNotFitIntoTheTurnAreLeftForTheNext) {
  Task found = Read();
  const Changes full = Plan([&](Turn& turn) {
    Fill(turn);
    std::move(found)(turn);
  });

  EXPECT_EQ(CountedOutIn(full), 0);
  EXPECT_EQ(CountOutAll(), kMany);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, WhatCameBackGoesBesideARun) {  // TTL-10
  Plan([&](Turn& turn) {
    Lock(kMidst, turn);
    lane().Return(LockToken(), {1, {}}, ReturnCause::kAbandoned, turn.changes);
  });
  // Nothing of that is in a run; it changed since the read was asked for.
  counted_out_ += CountedOutIn(TakeRead());

  EXPECT_EQ(CountOutAll(), kMany - 1);
  EXPECT_EQ(Active(queue_), 0);
  ExpectWhole();
}

TEST_F(RunsOfReaderTest, WhatCannotBeReadIsPassed) {
  WriteBatch batch;
  batch.Put(IdOf(Table::kMessages), MessageKey(lane().shelf(), kMidst), "\xff");
  ASSERT_TRUE(store_.Apply(batch).ok());

  EXPECT_EQ(CountOutAll(), kMany - 1);
  EXPECT_EQ(Active(queue_), 1);
  ExpectWhole();
}

// Of two that mean the same messages, both in the same read.
TEST_F(RunsOfReaderTest, WhatTwoHintsMeanIsCountedOutOnce) {  // TTL-10
  WriteBatch batch;
  for (const SharedHint& shared : AllShared()) {
    SharedHint again = shared;
    again.hint.number = again.hint.number.Next();
    again.end = again.end.Next();
    batch.Put(IdOf(Table::kDue), DueKey(RowOf(again)), EncodeSharedHint(again));
  }
  ASSERT_TRUE(store_.Apply(batch).ok());

  EXPECT_EQ(CountOutAll(), kMany);
  EXPECT_EQ(Active(queue_), 0);
  ExpectWhole();
}

// The others of its bucket, and another bucket, have their turns meanwhile.
TEST_F(RunsOfReaderTest, OfSeveralQueuesEachHasItsRuns) {
  Queue& neighbour = Create({.name = "neighbour"});
  for (Queue* queue : {&neighbour, &other_}) {
    std::vector<Message> messages = Messages(9000);
    for (Message& message : messages) message.time_to_live = milliseconds(1);
    NoteDue(Send(*queue, std::move(messages)));
  }
  clock_.Advance(milliseconds(1));

  EXPECT_EQ(CountOutAll(), kMany + 2 * 9000);
  for (const Queue* queue : {&queue_, &neighbour, &other_}) {
    EXPECT_EQ(Active(*queue), 0) << queue->name();
    EXPECT_TRUE(queue->lane(LaneKind::kMain).contradiction().ok());
  }
}

TEST_F(DueSweeperTest, AFewExpireOneByOne) {
  LetExpire(3);
  PlanDue();
  const Changes changes = TakeRead();

  EXPECT_EQ(Count<MessageRemoved>(changes), 3U);
  EXPECT_EQ(Count<DueHintDropped>(changes), 1U);
}

TEST_F(DueSweeperTest, AfterAReadThatFailedItRestsAndLooksAgain) {
  Schedule();
  PlanDue();
  TakeRead(ReadFrom(FailedView(kDamage)));
  EXPECT_GT(sweeper_.next_deadline(), now());
  EXPECT_LE(sweeper_.next_deadline(), now() + seconds(1));

  clock_.Advance(seconds(1));
  PlanDue();
  TakeAllReads();
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 1);
}

TEST_F(DueSweeperTest, WhatIsDueInSeveralBucketsIsDoneInTheOrderOfTime) {
  const Timestamp due = now() + minutes(1);
  ScheduleFor(queue_, due + seconds(1));
  ScheduleFor(other_, due);
  ScheduleFor(queue_, due);
  ScheduleFor(other_, due + seconds(2));
  clock_.Advance(minutes(2));
  PlanDue();

  ASSERT_EQ(reads_.works.size(), 1U);
  const EntityId orders = queue_.record().id;
  const EntityId bills = other_.record().id;
  EXPECT_EQ(Activated(TakeRead()), (std::vector{orders, bills, orders, bills}));
}

TEST_F(DueSweeperTest, HowFarEachBucketWasHandledIsPartOfTheCommit) {
  const Timestamp due = now() + minutes(1);
  ScheduleFor(queue_, due);
  ScheduleFor(other_, due + seconds(1));
  clock_.Advance(minutes(2));
  PlanDue();

  std::map<Bucket, Timestamp> handled;
  for (const Change& change : TakeRead()) {
    if (const auto* each = std::get_if<DueHandled>(&change)) handled[each->bucket] = each->time;
  }
  const std::map<Bucket, Timestamp> expected = {{queue_.record().id.bucket(), due},
                                                {other_.record().id.bucket(), due + seconds(1)}};
  EXPECT_EQ(handled, expected);
}

// Both are due at the same instant; one of them has thousands.
TEST_F(DueSweeperTest, ABacklogInOneBucketKeepsTheOthersWaitingForNoMoreThanOneStep) {
  const Timestamp due = now() + minutes(1);
  for (int i = 0; i < 10; ++i) ScheduleFor(queue_, due, 1000);
  ScheduleFor(other_, due, 10);
  clock_.Advance(minutes(1));
  PlanDue();
  TakeRead();

  EXPECT_EQ(Active(other_), 10);
  EXPECT_GT(Active(queue_), 1000);
  EXPECT_LT(Active(queue_), 10000);
  // Those that are alone then have the whole step.
  EXPECT_LE(TakeAllReads(), 6);
  EXPECT_EQ(Active(queue_), 10000);
}

// One message fills each turn, as one that goes to a large topic does.
TEST_F(DueSweeperTest, ABacklogThatFillsEachTurnLeavesTheOtherBucketsTheirTurns) {
  const Timestamp due = now() + minutes(1);
  ScheduleFor(queue_, due, 10);
  ScheduleFor(other_, due + seconds(1));
  clock_.Advance(minutes(2));
  PlanDue();
  int turns = 0;
  for (; Active(other_) == 0 && turns < 10; ++turns) TakeReadWithRoomForOne();

  EXPECT_LE(turns, 3);
  EXPECT_EQ(Active(queue_), turns - 1);
  TakeAllReads();
  EXPECT_EQ(Active(queue_), 10);
}

// A dead-letter queue that was never purged stands before a queue that was.
TEST_F(DueSweeperTest, WhatIsDueAtOneInstantIsDoneInTheOrderOfItsRows) {
  const EntityId id = queue_.record().id;
  const Timestamp due = now() + minutes(1);
  const Shelf purged(id, LaneKind::kMain, 1);
  const Shelf dead_letter(id, LaneKind::kDeadLetter, 0);
  WriteBatch batch;
  for (const DueHint& hint : {DueHint{due, DueKind::kEndDelay, dead_letter, SequenceNumber(1)},
                              DueHint{due, DueKind::kEndDelay, purged, SequenceNumber(2)},
                              DueHint{due, DueKind::kEndDelay, purged, SequenceNumber(3)}}) {
    batch.Put(IdOf(Table::kDue), DueKey(hint), "");
  }
  ASSERT_TRUE(store_.Apply(batch).ok());
  sweeper_.Note({id.bucket(), due});
  clock_.Advance(minutes(1));
  PlanDue();
  EXPECT_EQ(Count<DueHintDropped>(TakeReadWithRoomForOne()), 1U);
  TakeAllReads();

  const KeyRange all = DueRange(id.bucket(), {}, kNever);
  EXPECT_FALSE(store_.View()->Scan(IdOf(Table::kDue), all)->valid());
}

TEST_F(DueSweeperTest, HowFarABucketWasHandledIsWrittenOnlyWhenItGoesOn) {
  Schedule(2);
  PlanDue();
  const auto take_with_no_room = [this] {
    Task found = Read();
    return Plan([&found](Turn& turn) {
      while (!turn.is_full()) turn.changes.push_back(SharedBodyKept{});
      std::move(found)(turn);
    });
  };
  EXPECT_EQ(Count<DueHandled>(take_with_no_room()), 1U);
  EXPECT_EQ(Count<DueHandled>(take_with_no_room()), 0U);
}

// Hints of messages that were completed in time are rows that are gone, and cost time.
TEST_F(DueSweeperTest, WhereNothingIsDueIsNotLookedAtTwice) {
  clock_.Advance(minutes(1));
  PlanDue();
  TakeAllReads();
  clock_.Advance(minutes(1));
  PlanDue();

  const auto view = store_.View();
  ScanRecordingView recording(*view);
  TakeRead(ReadFrom(recording));

  const DueHint from{now() - minutes(1), DueKind{}, {}, {}};
  EXPECT_EQ(recording.begins,
            std::vector{DueRange(queue_.record().id.bucket(), from, kNever).begin});
}

TEST_F(DueSweeperTest, AHintForATimeThatWasLookedAtIsFound) {
  clock_.Advance(minutes(1));
  PlanDue();
  TakeAllReads();
  const Shelf shelf(queue_.record().id, LaneKind::kMain);
  const DueHint late{now() - seconds(30), DueKind::kEndDelay, shelf, SequenceNumber(1)};
  WriteBatch batch;
  batch.Put(IdOf(Table::kDue), DueKey(late), "");
  ASSERT_TRUE(store_.Apply(batch).ok());
  sweeper_.Note({queue_.record().id.bucket(), late.time});
  PlanDue();

  EXPECT_EQ(Count<DueHintDropped>(TakeRead()), 1U);
}

TEST_F(DueSweeperTest, ABucketWithoutHintsIsNeverRead) {
  DueSweeper idle(context_, {}, kGrain);
  EXPECT_EQ(idle.next_deadline(), kNever);
  clock_.Advance(std::chrono::hours(24 * 365));
  Plan([&](Turn& turn) { idle.PlanDue(turn); });
  EXPECT_TRUE(reads_.works.empty());
}

// However many buckets there are: a turn before the first time of any reads nothing.
TEST_F(DueSweeperTest, ATurnInWhichNothingIsDueReadsNothing) {
  std::vector<DueHandled> all;
  for (std::size_t i = 0; i < kBuckets; ++i) all.push_back({static_cast<Bucket>(i), now()});
  DueSweeper sweeper(context_, all, kGrain);
  const auto plan = [&](Turn& turn) { sweeper.PlanDue(turn); };
  Plan(plan);
  EXPECT_EQ(TakeAllReads(), 1);

  int reads = 0;
  for (int turn = 0; turn < 10000; ++turn) {
    clock_.Advance(std::chrono::milliseconds(100));
    Plan(plan);
    reads += TakeAllReads();
  }
  EXPECT_LE(reads, 11);  // At distances that double, all buckets together.
}

// A store of which the hints of one bucket cannot be read.
class DamagedBucketView final : public StoreView {
 public:
  DamagedBucketView(const StoreView& view, Bucket bucket) : view_(view), bucket_(bucket) {}
  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    return view_.Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    const bool is_damaged =
        table == IdOf(Table::kDue) && static_cast<Bucket>(range.begin.front()) == bucket_;
    return is_damaged ? FailedView(kDamage).Scan(table, range) : view_.Scan(table, range);
  }

 private:
  const StoreView& view_;
  const Bucket bucket_;
};

TEST_F(DueSweeperTest, ABucketThatCannotBeReadRestsAndTheOthersGoOn) {
  const Timestamp due = now() + minutes(1);
  ScheduleFor(queue_, due);
  ScheduleFor(other_, due);
  clock_.Advance(minutes(1));
  PlanDue();
  const auto view = store_.View();
  TakeRead(ReadFrom(DamagedBucketView(*view, queue_.record().id.bucket())));
  EXPECT_EQ(Active(other_), 1);
  EXPECT_EQ(Active(queue_), 0);
  EXPECT_GT(sweeper_.next_deadline(), now());

  clock_.Advance(seconds(1));
  PlanDue();
  TakeAllReads();
  EXPECT_EQ(Active(queue_), 1);
}

TEST_F(DueSweeperTest, OnceTheShardIsClosedNothingIsDone) {
  Schedule();
  PlanDue();
  Task found = Read();
  open_.Close({ErrorCode::kGeneralError, "the log is closed"});
  EXPECT_EQ(TakeRead(std::move(found)).size(), 0U);
  EXPECT_TRUE(reads_.works.empty());
}

}  // namespace
}  // namespace wharf
