// Transactions, where they meet time, reads and other requests.

#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/engine_harness.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Operation Send(std::string path, std::string body, std::optional<std::string> id = std::nullopt) {
  std::vector<Message> messages(1);
  messages[0].body = std::move(body);
  messages[0].message_id = std::move(id);
  return {std::move(path), SendMessages{std::move(messages)}};
}

Operation Settle(std::string path, const LockToken& token,
                 SettleVerb verb = SettleVerb::kComplete) {
  return {std::move(path), SettleMessages{{token}, {.verb = verb}}};
}

class TransactionTest : public ::testing::Test {
 protected:
  explicit TransactionTest(const TransactionLimits& limits = {}) : engine_(OptionsWith(limits)) {
    EXPECT_TRUE(engine_.CreateQueue({.name = "orders"}).ok());
    EXPECT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
    EXPECT_TRUE(engine_.CreateQueue({.name = "ids", .requires_duplicate_detection = true}).ok());
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  static EngineHarness::Options OptionsWith(const TransactionLimits& limits) {
    EngineHarness::Options options;
    options.limits.transactions = limits;
    return options;
  }

  LockToken SendAndReceive(const std::string& path) {
    EXPECT_TRUE(engine_.Send(path, "x").ok());
    return engine_.Receive(path)->front().token;
  }
  std::int64_t Count(const std::string& path) { return engine_.GetQueue(path)->main.messages(); }

  // Asks, and lets the answer wait.
  using Answers = std::vector<Result<TransactionRecord>>;
  void AskToRun(std::optional<TransactionId> id, std::vector<Operation> operations,
                Answers& answers) {
    engine_.broker().RunTransaction(std::move(id), std::move(operations), NoteIn(answers));
  }
  static Answer<TransactionRecord> NoteIn(Answers& answers) {
    return [&answers](Result<TransactionRecord> answer) { answers.push_back(std::move(answer)); };
  }

  EngineHarness engine_;
};

TEST_F(TransactionTest, MovesAMessageFromOneQueueToAnother) {  // TXN-11
  const LockToken token = SendAndReceive("orders");

  const auto done =
      engine_.RunTransaction(std::nullopt, {Settle("orders", token), Send("bills", "bill")});

  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->state, TransactionState::kCommitted);
  EXPECT_EQ(done->results[1].sent[0].number, SequenceNumber(1));
  EXPECT_EQ(done->id.size(), 36U);
  EXPECT_EQ(Count("orders"), 0);
  EXPECT_EQ(Count("bills"), 1);
}

// A client that has forgotten a delivery cannot settle it again.
TEST_F(TransactionTest, WhatItsClientHasForgottenIsReleasedByARollback) {  // TXN-12
  const LockToken held = SendAndReceive("orders");
  const LockToken forgotten = SendAndReceive("orders");
  Operation settles = Settle("orders", forgotten);
  std::get<SettleMessages>(settles.what).is_forgotten = true;
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Settle("orders", held)).ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", settles).ok());

  ASSERT_TRUE(engine_.RollBackTransaction("tx").ok());

  const auto again = *engine_.Receive("orders", 10);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].message->number, SequenceNumber(2));
  EXPECT_EQ(again[0].delivery.count, 0U);
  EXPECT_TRUE(engine_.Complete("orders", held).ok());
}

TEST_F(TransactionTest, WhatItsClientHasForgottenIsReleasedWhenItsTimeIsOver) {  // TXN-10, TXN-12
  QueueDescription patient;
  patient.name = "patient";
  patient.lock_duration = minutes(5);
  ASSERT_TRUE(engine_.CreateQueue(patient).ok());
  Operation settles = Settle("patient", SendAndReceive("patient"));
  std::get<SettleMessages>(settles.what).is_forgotten = true;
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", settles).ok());

  engine_.Advance(minutes(2));

  const auto again = *engine_.Receive("patient", 10);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].delivery.count, 0U);
}

TEST_F(TransactionTest, TwoAtOnceWithOneIdAreOne) {  // TXX-1
  Answers answers;

  AskToRun("tx", {Send("orders", "once")}, answers);
  AskToRun("tx", {Send("orders", "once")}, answers);
  engine_.Run();
  AskToRun("tx", {Send("orders", "once")}, answers);
  engine_.Run();

  ASSERT_EQ(answers.size(), 3U);
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer.ok()) << answer.status().ToString();
    EXPECT_EQ(answer->results[0].sent[0].number, SequenceNumber(1));
  }
  EXPECT_EQ(Count("orders"), 1);
}

// The answer was lost, and while the client repeats the call others ask.
TEST_F(TransactionTest, ACommittedOneIsTheSameWhileItsIdIsLookedUp) {  // TXX-1
  for (const bool is_repeated : {true, false}) {
    const std::string id = is_repeated ? "repeated" : "begun";
    ASSERT_TRUE(engine_.RunTransaction(id, {Send("orders", "once")}).ok());
    Answers repeated, told, committed, rolled_back, added;

    if (is_repeated) {
      AskToRun(id, {Send("orders", "once")}, repeated);
    } else {
      engine_.broker().BeginTransaction(id, [](const Result<TransactionRecord>&) {});
      AskToRun(id, {Send("orders", "once")}, repeated);
    }
    engine_.broker().GetTransaction(id, NoteIn(told));
    engine_.broker().CommitTransaction(id, NoteIn(committed));
    engine_.broker().RollBackTransaction(id, NoteIn(rolled_back));
    engine_.broker().AddToTransaction(id, Send("orders", "more"), NoteIn(added));
    engine_.Run();

    for (const Answers* answers : {&repeated, &told, &committed}) {
      ASSERT_EQ(answers->size(), 1U);
      ASSERT_TRUE(answers->front().ok()) << id << ": " << answers->front().status().ToString();
      EXPECT_EQ(answers->front()->state, TransactionState::kCommitted) << id;
      EXPECT_EQ(answers->front()->results.size(), 1U) << id;
    }
    EXPECT_FALSE(rolled_back.front().ok());
    EXPECT_EQ(added.front().status().code(), ErrorCode::kTransactionUnknown);
  }
  EXPECT_EQ(Count("orders"), 2);
}

// While the message that it dead-letters is read.
TEST_F(TransactionTest, NothingIsAddedToOneThatIsBeingCommitted) {
  const LockToken token = SendAndReceive("orders");
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(
      engine_.AddToTransaction("tx", Settle("orders", token, SettleVerb::kDeadLetter)).ok());
  Answers committed, added;

  engine_.broker().CommitTransaction("tx", NoteIn(committed));
  engine_.broker().AddToTransaction("tx", Send("orders", "late"), NoteIn(added));
  engine_.Run();

  ASSERT_EQ(committed.size(), 1U);
  EXPECT_TRUE(committed.front().ok());
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added.front().status(),
            Status(ErrorCode::kTransactionUnknown,
                   "transaction 'tx' is being committed: nothing more can be added"));
  EXPECT_EQ(Count("orders"), 0);
}

TEST_F(TransactionTest, ARolledBackOneIsTheSameWhileItsIdIsLookedUp) {  // TXX-1
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.RollBackTransaction("tx").ok());
  Answers told, committed, rolled_back;

  engine_.broker().BeginTransaction("tx", [](const Result<TransactionRecord>&) {});
  engine_.broker().GetTransaction("tx", NoteIn(told));
  engine_.broker().CommitTransaction("tx", NoteIn(committed));
  engine_.broker().RollBackTransaction("tx", NoteIn(rolled_back));
  engine_.Run();

  ASSERT_TRUE(told.front().ok());
  EXPECT_EQ(told.front()->state, TransactionState::kRolledBack);
  EXPECT_EQ(committed.front().status().code(), ErrorCode::kTransactionAborted);
  EXPECT_TRUE(rolled_back.front().ok());
}

// Whoever believed that it is not committed would send everything once more.
TEST_F(TransactionTest, WhoCommitsARunUnderWayHearsHowItEnds) {  // TXX-1
  Answers ran, committed, told;

  AskToRun("tx", {Send("orders", "once")}, ran);
  engine_.broker().CommitTransaction("tx", NoteIn(committed));
  engine_.broker().GetTransaction("tx", NoteIn(told));
  engine_.Run();

  ASSERT_TRUE(ran.front().ok());
  ASSERT_TRUE(committed.front().ok()) << committed.front().status().ToString();
  EXPECT_EQ(*committed.front(), *ran.front());
  EXPECT_EQ(told.front()->state, TransactionState::kCommitted);
}

TEST_F(TransactionTest, ARunThatFailsIsTruthfullyUnknown) {
  Answers ran, committed, told;

  AskToRun("tx", {Send("nowhere", "x")}, ran);
  engine_.broker().CommitTransaction("tx", NoteIn(committed));
  engine_.broker().GetTransaction("tx", NoteIn(told));
  engine_.Run();

  EXPECT_EQ(ran.front().status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(committed.front().status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(told.front().status().code(), ErrorCode::kTransactionUnknown);
}

// What it reads for its commit takes a turn; nothing ends it meanwhile.
TEST_F(TransactionTest, ACommitUnderWayDoesNotExpire) {  // TXN-10
  const LockToken token = SendAndReceive("orders");
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(
      engine_.AddToTransaction("tx", Settle("orders", token, SettleVerb::kDeadLetter)).ok());
  const auto open = engine_.GetTransaction("tx");
  Answers committed, told;

  engine_.broker().CommitTransaction("tx", NoteIn(committed));
  engine_.broker().GetTransaction("tx", NoteIn(told));
  engine_.Run();

  EXPECT_EQ(open->ends_at, kHarnessStart + minutes(2));
  EXPECT_TRUE(committed.front().ok());
  EXPECT_EQ(told.front()->state, TransactionState::kOpen);
  EXPECT_EQ(told.front()->ends_at, kNever);
}

TEST_F(TransactionTest, AnIdThatFailedMayBeTriedAgain) {
  EXPECT_FALSE(engine_.RunTransaction("tx", {Send("orders", "x"), Send("nowhere", "x")}).ok());

  EXPECT_TRUE(engine_.RunTransaction("tx", {Send("orders", "x")}).ok());
  EXPECT_EQ(Count("orders"), 1);
}

// A send looks its id up while a transaction brings the same one, and the other way round: each is
// the first to look it up in half of the rounds. A transaction with an id of its own looks that up
// before anything else, so that it comes later.
TEST_F(TransactionTest, AnIdIsAcceptedOnceWhoeverComesFirst) {  // DUP-4
  for (int round = 0; round < 20; ++round) {
    const std::string id = "id" + std::to_string(round);
    Answers answers;
    std::vector<Message> messages(1);
    messages[0].message_id = id;
    std::optional<Result<SendReceipt>> sent;
    const auto send = [&] {
      engine_.broker().Send("ids", messages, false,
                            [&](Result<SendReceipt> receipt) { sent = std::move(receipt); });
    };

    if (round % 2 == 0) send();
    AskToRun(std::nullopt, {Send("ids", "x", id), Send("ids", "y", id)}, answers);
    if (round % 2 == 1) send();
    AskToRun("transaction-of-" + id, {Send("ids", "z", id)}, answers);
    engine_.Run();

    ASSERT_EQ(answers.size(), 2U);
    ASSERT_TRUE(sent && sent->ok());
    for (const auto& answer : answers) EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    EXPECT_EQ(Count("ids"), round + 1);
  }
}

TEST_F(TransactionTest, NothingIsVisibleBeforeTheCommit) {  // TXN-11
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Send("orders", "later")).ok());
  ASSERT_TRUE(engine_.Send("orders", "sooner").ok());
  engine_.Advance(seconds(5));

  EXPECT_EQ(Count("orders"), 1);
  const auto done = engine_.CommitTransaction("tx");

  ASSERT_TRUE(done.ok());
  const auto page = engine_.Peek("orders");
  ASSERT_EQ(page->messages.size(), 2U);
  EXPECT_EQ(page->messages[1].message->number, SequenceNumber(2));
  EXPECT_EQ(page->messages[1].message->enqueued_at, kHarnessStart + seconds(5));
}

TEST_F(TransactionTest, DeadLettersInATransactionAreReadFirst) {
  const LockToken token = SendAndReceive("orders");

  ASSERT_TRUE(engine_
                  .RunTransaction(
                      "tx", {Settle("orders", token, SettleVerb::kDeadLetter), Send("bills", "x")})
                  .ok());

  EXPECT_EQ(engine_.GetQueue("orders")->dead_letter.messages(), 1);
  EXPECT_EQ(Count("bills"), 1);
}

// The message is read while its lock is settled by somebody else.
TEST_F(TransactionTest, ALockThatIsSettledMeanwhileFailsTheTransaction) {  // TXN-11
  const LockToken token = SendAndReceive("orders");
  Answers answers;
  AskToRun("tx", {Settle("orders", token, SettleVerb::kDeadLetter), Send("bills", "x")}, answers);

  bool was_completed = false;
  engine_.broker().Settle(
      "orders", {token}, {.verb = SettleVerb::kComplete},
      [&](const Result<SettleReceipt>& receipt) { was_completed = receipt->front().ok(); });
  engine_.Run();

  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NE(was_completed, answers[0].ok());
  EXPECT_EQ(Count("bills"), was_completed ? 0 : 1);
}

TEST_F(TransactionTest, AtItsEndALockIsFreeAgain) {  // TXN-12
  const LockToken token = SendAndReceive("orders");
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Settle("orders", token)).ok());

  EXPECT_EQ(engine_.Complete("orders", token).code(), ErrorCode::kInvalidOperation);
  ASSERT_TRUE(engine_.RollBackTransaction("tx").ok());
  EXPECT_TRUE(engine_.Complete("orders", token).ok());
}

TEST_F(TransactionTest, ARequestThatCannotBeReadFailsTheTransaction) {  // TXN-21
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Send("orders", "x")).ok());

  const auto refused = engine_.Await<TransactionRecord>([&](Answer<TransactionRecord> answer) {
    engine_.broker().AddToTransaction("tx", Status(ErrorCode::kArgumentError, "a bad token"),
                                      std::move(answer));
  });

  EXPECT_EQ(refused.status().code(), ErrorCode::kArgumentError);
  EXPECT_EQ(engine_.CommitTransaction("tx").status().code(), ErrorCode::kTransactionAborted);
  EXPECT_EQ(Count("orders"), 0);
}

TEST_F(TransactionTest, AReceiverGetsWhatATransactionSends) {
  std::optional<Result<std::vector<Delivered>>> received;
  engine_.broker().ReceiveOnce(
      {.path = "bills", .messages_max = 1, .bytes_max = 1000, .wait = minutes(1)},
      [&](Result<std::vector<Delivered>> got) { received = std::move(got); });
  engine_.Run();

  ASSERT_TRUE(engine_.RunTransaction("tx", {Send("bills", "bill")}).ok());

  ASSERT_TRUE(received && received->ok());
  EXPECT_EQ((*received)->front().message->message.body, "bill");
}

TEST_F(TransactionTest, AClosedBrokerRefusesAndTellsNoLie) {
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx", Send("orders", "x")).ok());

  engine_.shard().Close({ErrorCode::kServiceCommunicationProblem, "the broker is stopping"});
  engine_.Run();

  EXPECT_EQ(engine_.CommitTransaction("tx").status().code(),
            ErrorCode::kServiceCommunicationProblem);
}

class TransactionWithStateTest : public TransactionTest {
 protected:
  static constexpr std::size_t kStateBytes = 100 << 10;

  // The queue is full, and the size of the state is in the store only.
  TransactionWithStateTest() {
    QueueDescription letters;
    letters.name = "letters";
    letters.requires_session = true;
    letters.max_size_in_megabytes = 1;
    EXPECT_TRUE(engine_.CreateQueue(letters).ok());
    session_ = engine_.AcceptSession("letters", "red")->token;
    EXPECT_TRUE(engine_.SetSessionState("letters", session_, std::string(kStateBytes, 'a')).ok());
    while (SendLetter().ok()) continue;
    engine_.Restart();
  }

  Status SendLetter() {
    std::vector<Message> messages(1);
    messages[0].session_id = "red";
    messages[0].body = std::string(100 << 10, 'x');
    const auto receipt = engine_.Send("letters", std::move(messages));
    return receipt.ok() ? receipt->front().status() : receipt.status();
  }
  Operation State(std::size_t bytes) const {
    return {"letters", SetState{.session = session_, .state = std::string(bytes, 'b')}};
  }

  LockToken session_;
};

// As outside a transaction: a state that does not grow needs no room.
TEST_F(TransactionWithStateTest, AFullQueueTakesAStateThatDoesNotGrow) {  // QUO-1
  EXPECT_EQ(engine_.RunTransaction("tx1", {State(kStateBytes + 1)}).status().code(),
            ErrorCode::kQuotaExceeded);
  const auto done = engine_.RunTransaction("tx2", {State(kStateBytes)});

  EXPECT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(engine_.GetSessionState("letters", session_)->value(), std::string(kStateBytes, 'b'));
}

TEST_F(TransactionWithStateTest, AlsoStepByStep) {  // QUO-1
  ASSERT_TRUE(engine_.BeginTransaction("tx").ok());

  EXPECT_TRUE(engine_.AddToTransaction("tx", State(kStateBytes)).ok());
  EXPECT_TRUE(engine_.CommitTransaction("tx").ok());
}

class SmallTransactionTest : public TransactionTest {
 protected:
  SmallTransactionTest()
      : TransactionTest({.messages_max = 3,
                         .tokens_max = 2,
                         .bytes_max = 2000,
                         .open_max = 2,
                         .held_bytes_max = 3000}) {}
};

TEST_F(SmallTransactionTest, EveryKindOfSizeIsBounded) {  // TXN-9, QUO-10
  const auto code = [&](std::vector<Operation> operations) {
    return engine_.RunTransaction(std::nullopt, std::move(operations)).status().code();
  };
  const Operation tokens{"orders", SettleMessages{{{1, 1}, {1, 2}, {1, 3}}, {}}};

  EXPECT_EQ(
      code({Send("orders", "x"), Send("orders", "x"), Send("orders", "x"), Send("orders", "x")}),
      ErrorCode::kTransactionSizeExceeded);
  EXPECT_EQ(engine_.RunTransaction(std::nullopt, {tokens}).status(),
            Status(ErrorCode::kTransactionSizeExceeded,
                   "operation 1: a transaction holds at most 2 lock tokens"));
  EXPECT_EQ(code({Send("orders", std::string(2000, 'x'))}), ErrorCode::kTransactionSizeExceeded);
  EXPECT_EQ(code({}), ErrorCode::kArgumentError);
  EXPECT_EQ(code({{"orders", SendMessages{}}}), ErrorCode::kArgumentError);
  EXPECT_EQ(code({{"orders", SettleMessages{}}}), ErrorCode::kArgumentError);
  EXPECT_EQ(Count("orders"), 0);
}

TEST_F(SmallTransactionTest, SoIsTheNumberOfOpenOnes) {
  ASSERT_TRUE(engine_.BeginTransaction("tx1").ok());
  ASSERT_TRUE(engine_.BeginTransaction("tx2").ok());
  EXPECT_EQ(engine_.BeginTransaction("tx3").status().code(), ErrorCode::kQuotaExceeded);

  ASSERT_TRUE(engine_.RollBackTransaction("tx1").ok());
  EXPECT_TRUE(engine_.BeginTransaction("tx3").ok());
}

// What does not fit now may fit later: the transaction is not lost.
TEST_F(SmallTransactionTest, AndTheMemoryOfAllTogether) {
  const std::string body(1200, 'x');
  ASSERT_TRUE(engine_.BeginTransaction("tx1").ok());
  ASSERT_TRUE(engine_.BeginTransaction("tx2").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx1", Send("orders", body)).ok());

  EXPECT_TRUE(engine_.AddToTransaction("tx2", Send("orders", "x")).ok());
  EXPECT_EQ(engine_.AddToTransaction("tx2", Send("orders", body)).status().code(),
            ErrorCode::kServiceBusy);
  ASSERT_TRUE(engine_.CommitTransaction("tx1").ok());
  EXPECT_TRUE(engine_.AddToTransaction("tx2", Send("orders", body)).ok());
  EXPECT_TRUE(engine_.CommitTransaction("tx2").ok());
  EXPECT_EQ(Count("orders"), 3);
}

// Counts what ends in each turn, and says when.
class EndListener final : public ChangeListener {
 public:
  void OnChanges(const Changes& changes) override {
    std::size_t ended = 0;
    for (const Change& change : changes) ended += std::holds_alternative<TransactionEnded>(change);
    if (ended == 0) return;
    ended_.push_back(ended);
    if (on_first_) std::exchange(on_first_, nullptr)();
  }
  void OnFirst(std::function<void()> on_first) { on_first_ = std::move(on_first); }
  std::vector<std::size_t> TakeEnded() { return std::exchange(ended_, {}); }

 private:
  std::vector<std::size_t> ended_;
  std::function<void()> on_first_;
};

class ManyTransactionsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMany = 2 * Transactions::kEndsPerTurn + 1;

  ManyTransactionsTest() {
    for (std::size_t i = 0; i < kMany; ++i) {
      engine_.broker().BeginTransaction(
          "tx" + std::to_string(10000 + i),
          [](const Result<TransactionRecord>& begun) { EXPECT_TRUE(begun.ok()); });
    }
    engine_.Run();
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }
  static EngineHarness::Options OptionsWith(ChangeListener& listener) {
    EngineHarness::Options options;
    options.limits.transactions.open_max = kMany;
    options.listener = &listener;
    return options;
  }
  const TransactionId last_ = "tx" + std::to_string(10000 + kMany - 1);

  EndListener listener_;
  EngineHarness engine_{OptionsWith(listener_)};
};

TEST_F(ManyTransactionsTest, TheirTimeIsOverInSeveralTurns) {  // TXN-10
  engine_.Advance(minutes(2));

  EXPECT_EQ(listener_.TakeEnded(), std::vector<std::size_t>({1000, 1000, 1}));
  EXPECT_EQ(engine_.GetTransaction(last_)->state, TransactionState::kRolledBack);
  EXPECT_TRUE(engine_.BeginTransaction("another").ok());
}

TEST_F(ManyTransactionsTest, ARestartEndsThemInSeveralTurns) {
  engine_.Restart();

  EXPECT_EQ(listener_.TakeEnded(), std::vector<std::size_t>({1000, 1000, 1}));
  EXPECT_EQ(engine_.GetTransaction(last_)->reason, "the broker was restarted");
  engine_.Restart();
  EXPECT_TRUE(listener_.TakeEnded().empty());
}

TEST_F(ManyTransactionsTest, OneWhoseTurnIsYetToComeIsOverAsWell) {
  std::vector<Result<TransactionRecord>> committed;
  listener_.OnFirst([&] {
    engine_.broker().CommitTransaction(
        last_, [&](const Result<TransactionRecord>& answer) { committed.push_back(answer); });
  });

  engine_.Restart();

  ASSERT_EQ(committed.size(), 1U);
  EXPECT_EQ(committed[0].status().code(), ErrorCode::kTransactionAborted);
  EXPECT_EQ(listener_.TakeEnded(), std::vector<std::size_t>({1000, 1001}));
}

class StrictTransactionTest : public TransactionTest {
 protected:
  StrictTransactionTest() : TransactionTest({.has_one_entity = true}) {}
};

TEST_F(StrictTransactionTest, ASendByWayOfItsEntityStaysOnIt) {  // TXN-5
  const LockToken token = SendAndReceive("orders");
  Operation by_orders = Send("bills", "x");
  by_orders.via = "orders";
  Operation by_nobody = Send("bills", "x");
  by_nobody.via = "nobody";

  EXPECT_EQ(engine_.RunTransaction("tx1", {Settle("orders", token), by_nobody}).status().code(),
            ErrorCode::kMessagingEntityNotFound);
  EXPECT_TRUE(engine_.RunTransaction("tx2", {Settle("orders", token), by_orders}).ok());

  EXPECT_EQ(Count("orders"), 0);
  EXPECT_EQ(Count("bills"), 1);
}

TEST_F(StrictTransactionTest, StaysOnOneEntity) {  // TXN-3, TXN-4
  EXPECT_EQ(
      engine_.RunTransaction("tx1", {Send("orders", "x"), Send("bills", "x")}).status().code(),
      ErrorCode::kInvalidOperation);
  EXPECT_TRUE(engine_.RunTransaction("tx2", {Send("orders", "x"), Send("orders", "x")}).ok());

  ASSERT_TRUE(engine_.BeginTransaction("tx3").ok());
  ASSERT_TRUE(engine_.AddToTransaction("tx3", Send("orders", "x")).ok());
  EXPECT_EQ(engine_.AddToTransaction("tx3", Send("bills", "x")).status().code(),
            ErrorCode::kInvalidOperation);
}

// A topic is one entity with its subscriptions and their dead-letter queues.
TEST_F(StrictTransactionTest, ATopicIsOneEntityWithItsSubscriptions) {  // TXN-3
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  for (const char* name : {"news/Subscriptions/a", "news/Subscriptions/b"}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = name}).ok());
  }
  ASSERT_TRUE(engine_.Send("news", "x").ok());
  const LockToken a = engine_.Receive("news/Subscriptions/a")->front().token;
  const LockToken b = engine_.Receive("news/Subscriptions/b")->front().token;
  ASSERT_TRUE(engine_.DeadLetter("news/Subscriptions/b", b).ok());
  const std::string dead = "news/Subscriptions/b/$DeadLetterQueue";

  const auto done =
      engine_.RunTransaction("tx", {Settle("news/Subscriptions/a", a), Send("news", "y"),
                                    Settle(dead, engine_.Receive(dead)->front().token)});

  EXPECT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(engine_.RunTransaction("tx2", {Send("news", "y"), Send("orders", "y")}).status().code(),
            ErrorCode::kInvalidOperation);
}

}  // namespace
}  // namespace wharf
