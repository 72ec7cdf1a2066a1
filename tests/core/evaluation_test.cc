// What a transaction asks before and does later, and what a request does at once: for the same
// facts both say the same, and leave the same changes.
//
// Each test walks over all states that the facts can be in, and over all that can be asked; for
// each pair there are twins, made in the same way and with the same tokens. A refusal changes
// nothing.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/operations/transaction_plan.h"
#include "tests/core/queue_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kLargestMessage = 1024 * 1024;

// A queue, and a lock or the hold of a session in it.
struct Held {
  std::unique_ptr<QueueFixture> fixture;
  LaneKind kind = LaneKind::kMain;
  LockToken token{};
  // Of a message in the session.
  std::vector<LockToken> completed{};

  Queue& queue() const { return fixture->queue(); }
  Timestamp now() const { return fixture->now(); }
};

template <typename T>
struct Case {
  std::string name;
  T what;
};
using State = Case<Held (*)()>;

// Which changes there are, in their order.
std::vector<std::size_t> KindsOf(const Changes& changes) {
  std::vector<std::size_t> kinds;
  for (const Change& change : changes) kinds.push_back(change.index());
  return kinds;
}

bool HasDeadLetter(const Changes& changes) {
  return std::any_of(changes.begin(), changes.end(), [](const Change& change) {
    return std::holds_alternative<MessageDeadLettered>(change);
  });
}

// What one way of asking said and did.
struct Told {
  Status status;
  Changes changes;
};

void ExpectSame(const Told& at_once, const Told& planned) {
  EXPECT_EQ(at_once.status, planned.status)
      << at_once.status.ToString() << " / " << planned.status.ToString();
  EXPECT_EQ(KindsOf(at_once.changes), KindsOf(planned.changes));
  EXPECT_TRUE(at_once.status.ok() || at_once.changes.empty());
}

// As a transaction of this operation alone.
Told Planned(const Held& held, Operation operation, TransactionFound found = {}) {
  Told told;
  TransactionPlan plan(found, held.now());
  told.status = plan.Add(held.queue(), held.kind, operation);
  if (!told.status.ok()) return told;
  EXPECT_TRUE(plan.Missing().empty());
  EXPECT_TRUE(plan.CheckFound().ok());
  plan.Apply(told.changes);
  return told;
}

// --- states

Held Locked(QueueDescription description = {}) {
  Held held{std::make_unique<QueueFixture>(std::move(description))};
  held.token = held.fixture->SendAndReceive().token;
  return held;
}

Held Later(Held held, Duration passed) {
  held.fixture->clock().Advance(passed);
  return held;
}

Held InDeadLetters() {
  Held held = Locked({.max_delivery_count = 1});
  EXPECT_TRUE(held.fixture->Settle(held.token, SettleVerb::kDeadLetter).ok());
  held.kind = LaneKind::kDeadLetter;
  held.token = held.fixture->Receive(held.kind)->token;
  return held;
}

Held OutOfDeferral() {
  Held held = Locked();
  EXPECT_TRUE(held.fixture->Settle(held.token, SettleVerb::kDefer).ok());
  const SequenceNumber number(1);
  const FoundMessages found{
      {number,
       FoundMessage{Standing::kDeferred, {1, nullptr}, held.fixture->contents().at(number)}}};
  Changes changes;
  const auto received =
      held.queue().by_number().ReceiveDeferred(held.kind, ReceiveMode::kPeekLock, HolderId(1),
                                               std::nullopt, {number}, found, held.now(), changes);
  held.token = received->front().token;
  return held;
}

// The session "red" is held, and one of its two messages is locked.
Held InSession(QueueDescription description = {}) {
  description.requires_session = true;
  Held held{std::make_unique<QueueFixture>(std::move(description))};
  Queue& queue = held.queue();
  Changes changes;
  Session* session = *queue.sessions().Accept("red", HeldBy::kToken, held.now(), changes);
  // The store has nothing of it.
  SessionBook& book = *queue.lane(LaneKind::kMain).sessions();
  const auto read = book.NextRead(*session);
  book.TakeRead(*session, SessionBatch{std::get<ReadSession>(*read).from, kNumberEnd, {}});
  std::vector<Message> messages(2);
  for (Message& message : messages) message.session_id = "red";
  EXPECT_TRUE(held.fixture->Send(std::move(messages)).ok());
  const Source source{LaneKind::kMain, session};
  EXPECT_TRUE(queue.receiving().CanDeliver(source, held.now()));
  held.token = queue.receiving()
                   .Deliver(source, ReceiveMode::kPeekLock, HolderId(1), held.now(), changes)
                   .token;
  return held;
}

QueueDescription Expiring(bool dead_letters) {
  return {.default_message_time_to_live = seconds(10),
          .dead_lettering_on_message_expiration = dead_letters};
}

const State kLocks[] = {
    {"locked", [] { return Locked(); }},
    {"unknown",
     [] {
       Held held = Locked();
       held.token = LockToken(1, 2);
       return held;
     }},
    {"settled",
     [] {
       Held held = Locked();
       EXPECT_TRUE(held.fixture->Settle(held.token, SettleVerb::kComplete).ok());
       return held;
     }},
    {"lock ended", [] { return Later(Locked(), seconds(60)); }},
    {"last attempt", [] { return Locked({.max_delivery_count = 1}); }},
    {"retried later", [] { return Locked({.retry_policy = RetryPolicy()}); }},
    {"expired, kept", [] { return Later(Locked(Expiring(true)), seconds(20)); }},
    {"expired, dropped", [] { return Later(Locked(Expiring(false)), seconds(20)); }},
    {"dead letter", InDeadLetters},
    {"out of deferral", OutOfDeferral},
    {"in a session", [] { return InSession(); }},
    {"in a session that ended", [] { return Later(InSession(), seconds(60)); }},
    {"expired in a session, kept", [] { return Later(InSession(Expiring(true)), seconds(20)); }},
    {"expired in a session, dropped",
     [] { return Later(InSession(Expiring(false)), seconds(20)); }},
};

// --- settling

const Case<Settlement> kSettlements[] = {
    {"complete", {.verb = SettleVerb::kComplete}},
    {"release", {.verb = SettleVerb::kRelease}},
    {"abandon", {.verb = SettleVerb::kAbandon}},
    {"abandon for a while", {.verb = SettleVerb::kAbandon, .delay = seconds(5)}},
    {"abandon until then",
     {.verb = SettleVerb::kAbandon, .delay_until = Timestamp(hours(1)) + seconds(90)}},
    {"abandon for too long",
     {.verb = SettleVerb::kAbandon, .delay_until = Timestamp(hours(24 * 8))}},
    {"abandon with too much",
     {.verb = SettleVerb::kAbandon, .properties_to_modify = {{"a", std::string(40000, 'x')}}}},
    {"defer", {.verb = SettleVerb::kDefer}},
    {"defer with properties",
     {.verb = SettleVerb::kDefer, .properties_to_modify = {{"a", std::string("b")}}}},
    {"dead-letter", {.verb = SettleVerb::kDeadLetter, .reason = "why"}},
};

// All that was stored, as a reader would bring it.
Contents Wanted(const Held& held, const Settlement& settlement) {
  Contents contents;
  const auto number =
      held.queue().settling().NeedsContent(held.kind, held.token, settlement, held.now());
  if (number) contents[*number] = held.fixture->contents().at(*number);
  return contents;
}

Told SettledAtOnce(const Held& held, const Settlement& settlement, const Contents& contents) {
  Told told;
  told.status = held.queue().settling().Settle(held.kind, held.token, settlement, contents,
                                               held.now(), told.changes);
  return told;
}

template <typename Check>
void ForEachSettlement(Check check) {
  for (const State& state : kLocks) {
    for (const auto& settlement : kSettlements) {
      SCOPED_TRACE(settlement.name + " what is " + state.name);
      check(state, settlement.what);
    }
  }
}

TEST(EvaluationTest, ASettlementIsDoneAsItWasChecked) {
  std::size_t refused = 0;
  ForEachSettlement([&refused](const State& state, const Settlement& settlement) {
    const Held held = state.what();
    const Status checked =
        held.queue().settling().Check(held.kind, held.token, settlement, held.now());
    const Told told = SettledAtOnce(held, settlement, Wanted(held, settlement));

    EXPECT_EQ(checked, told.status) << checked.ToString() << " / " << told.status.ToString();
    EXPECT_EQ(told.status.ok(), !told.changes.empty());
    refused += checked.ok() ? 0 : 1;
  });
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, std::size(kLocks) * std::size(kSettlements) / 2);
}

TEST(EvaluationTest, WhatASettlementMovesIsAskedForBefore) {
  std::size_t moved = 0;
  ForEachSettlement([&moved](const State& state, const Settlement& settlement) {
    const Held held = state.what();
    const bool is_allowed =
        held.queue().settling().Check(held.kind, held.token, settlement, held.now()).ok();
    if (!is_allowed) return;
    const Contents wanted = Wanted(held, settlement);
    const auto may_be_wanted =
        held.queue().settling().MayNeedContent(held.kind, held.token, settlement, held.now());
    const Told told = SettledAtOnce(held, settlement, wanted);

    EXPECT_EQ(!wanted.empty(), HasDeadLetter(told.changes));
    EXPECT_TRUE(wanted.empty() || may_be_wanted);
    moved += wanted.empty() ? 0 : 1;
  });
  EXPECT_GT(moved, 0U);
}

TEST(EvaluationTest, WhatIsNotInTheStoreCannotBeMoved) {
  ForEachSettlement([](const State& state, const Settlement& settlement) {
    const Held held = state.what();
    const bool is_allowed =
        held.queue().settling().Check(held.kind, held.token, settlement, held.now()).ok();
    if (!is_allowed || Wanted(held, settlement).empty()) return;

    const Told told = SettledAtOnce(held, settlement, {});

    EXPECT_EQ(told.status.code(), ErrorCode::kGeneralError);
    EXPECT_TRUE(told.changes.empty());
  });
}

TEST(EvaluationTest, ATransactionSettlesAsARequestDoes) {
  ForEachSettlement([](const State& state, const Settlement& settlement) {
    const Held held = state.what();
    const Held twin = state.what();
    ASSERT_EQ(held.token, twin.token);
    TransactionFound found;
    found.contents[twin.queue().lane(twin.kind).shelf()] = twin.fixture->contents();

    ExpectSame(SettledAtOnce(held, settlement, Wanted(held, settlement)),
               Planned(twin, {"orders", SettleMessages{{twin.token}, settlement}}, found));
  });
}

// --- renewing

TEST(EvaluationTest, ATransactionRenewsAsARequestDoes) {
  std::size_t renewed = 0;
  for (const State& state : kLocks) {
    SCOPED_TRACE("renew what is " + state.name);
    const Held held = state.what();
    const Held twin = state.what();
    const Status checked =
        held.queue().settling().CheckRenewLock(held.kind, held.token, held.now());
    Told at_once;
    at_once.status = held.queue()
                         .settling()
                         .RenewLock(held.kind, held.token, held.now(), at_once.changes)
                         .status();

    EXPECT_EQ(checked, at_once.status);
    ExpectSame(at_once, Planned(twin, {"orders", RenewLocks{{twin.token}}}));
    renewed += checked.ok() ? 1 : 0;
  }
  EXPECT_GT(renewed, 0U);
  EXPECT_LT(renewed, std::size(kLocks));
}

// --- states of sessions

// The hold of a session instead of the lock of its message.
Held HoldOf(Held held) {
  held.completed = {held.token};
  const Lock& lock = *held.queue().lane(held.kind).locks().Get(held.token);
  held.token = held.queue().holds().SessionOf(held.kind, lock.facts)->token();
  return held;
}

const State kHolds[] = {
    {"held", [] { return HoldOf(InSession()); }},
    {"held for too long", [] { return Later(HoldOf(InSession()), seconds(60)); }},
    {"unknown",
     [] {
       Held held = HoldOf(InSession());
       held.token = LockToken(1, 2);
       return held;
     }},
    {"held, and names a message twice",
     [] {
       Held held = HoldOf(InSession());
       held.completed.push_back(held.completed.front());
       return held;
     }},
    {"held, and names a message that is not locked",
     [] {
       Held held = HoldOf(InSession());
       held.completed.push_back(LockToken(1, 2));
       return held;
     }},
    {"held in a full queue",
     [] {
       Held held = HoldOf(InSession({.max_size_in_megabytes = 1}));
       std::vector<Message> messages(2);
       for (Message& message : messages) {
         message.session_id = "blue";
         message.body = std::string(kLargestMessage / 2 + 1, 'x');
       }
       EXPECT_TRUE(held.fixture->Send(std::move(messages)).ok());
       return held;
     }},
    {"without sessions", [] { return Locked(); }},
    {"a dead letter", InDeadLetters},
};

const Case<std::optional<std::string>> kStates[] = {
    {"nothing", std::nullopt},
    {"a state", std::string("half way")},
    {"a large state", std::string(kLargestMessage, 'x')},
    {"a state that is too large", std::string(kLargestMessage + 1, 'x')},
};

TEST(EvaluationTest, ATransactionSetsAStateAsARequestDoes) {
  std::size_t set = 0;
  for (const State& state : kHolds) {
    for (const auto& value : kStates) {
      SCOPED_TRACE("set " + value.name + " where it is " + state.name);
      const Held held = state.what();
      const Held twin = state.what();
      const Status checked = held.queue().session_states().Check(held.kind, held.token, value.what,
                                                                 0, held.completed, 0, held.now());
      Told at_once;
      at_once.status = held.queue().session_states().Set(
          held.kind, held.token, value.what, 0, held.completed, held.now(), at_once.changes);
      TransactionFound found;
      found.state_bytes[{twin.queue().record().id, "red"}] = 0;

      EXPECT_EQ(checked, at_once.status);
      ExpectSame(
          at_once,
          Planned(twin, {"orders", SetState{twin.token, value.what, twin.completed}}, found));
      set += checked.ok() ? 1 : 0;
    }
  }
  EXPECT_GT(set, 0U);
  EXPECT_LT(set, std::size(kHolds) * std::size(kStates) / 2);
}

// --- sending

// A topic that nobody takes anything from.
class NoTaker final : public Outlet {
 public:
  Status Check() const override { return {}; }
  bool HasTaker(const Message&, Timestamp) override { return false; }
  void Publish(MessagePublished, Timestamp, Changes&) override {}
  std::int64_t bytes() const override { return 0; }
};

Held Empty(QueueDescription description) {
  return {std::make_unique<QueueFixture>(std::move(description))};
}

const State kEntities[] = {
    {"as queues are", [] { return Empty({}); }},
    {"disabled", [] { return Empty({.status = EntityStatus::kSendDisabled}); }},
    {"full",
     [] {
       Held held = Empty({.max_size_in_megabytes = 1});
       for (int i = 0; i < 2; ++i) {
         EXPECT_TRUE(held.fixture->Send(std::string(kLargestMessage - 1000, 'x')).ok());
       }
       return held;
     }},
    {"one with sessions", [] { return Empty({.requires_session = true}); }},
    {"one with priorities", [] { return Empty({.enable_priority = true}); }},
    {"one that knows ids", [] { return Empty({.requires_duplicate_detection = true}); }},
    {"a topic without takers",
     [] {
       static NoTaker no_taker;
       Held held = Empty({.enable_filtering_messages_before_publishing = true});
       held.queue().SetOutlet(no_taker);
       return held;
     }},
};

Message With(void (*change)(Message&)) {
  Message message;
  message.message_id = "id";
  change(message);
  return message;
}

const Case<Message> kMessages[] = {
    {"a message", With([](Message&) {})},
    {"one with a session", With([](Message& message) { message.session_id = "red"; })},
    {"one with a priority that is none", With([](Message& message) {
       CarriedProperties carried;
       carried.priority = kPriorityMax + 1;
       message.carried = std::make_shared<CarriedProperties>(std::move(carried));
     })},
    {"one for later", With([](Message& message) {
       message.session_id = "red";
       message.scheduled_enqueue_time = Timestamp(hours(2));
     })},
    {"one that is too large",
     With([](Message& message) { message.body = std::string(kLargestMessage + 1, 'x'); })},
    {"one that contradicts itself", With([](Message& message) {
       message.session_id = "red";
       message.partition_key = "blue";
     })},
};

Told SentAtOnce(const Held& held, const Message& message, bool atomic) {
  Told told;
  KnownIds known;
  const auto sent = held.queue().sending().Send({message}, atomic, known, held.now(), told.changes);
  told.status = sent.ok() ? sent->front().status() : sent.status();
  return told;
}

TEST(EvaluationTest, ATransactionSendsAsARequestDoes) {
  std::size_t sent = 0;
  for (const State& state : kEntities) {
    for (const auto& message : kMessages) {
      SCOPED_TRACE("send " + message.name + " where the queue is " + state.name);
      const Held held = state.what();
      const Held twin = state.what();
      const Held batch = state.what();
      TransactionFound found;
      found.ids[twin.queue().record().id] = {};
      const Status checked = held.queue().sending().CheckAll({message.what}, 0, held.now());
      const Told at_once = SentAtOnce(held, message.what, false);

      EXPECT_EQ(checked, at_once.status);
      ExpectSame(at_once, Planned(twin, {"orders", SendMessages{{message.what}}}, found));
      ExpectSame(at_once, SentAtOnce(batch, message.what, true));
      sent += checked.ok() ? 1 : 0;
    }
  }
  EXPECT_GT(sent, 0U);
  EXPECT_LT(sent, std::size(kEntities) * std::size(kMessages));
}

// What comes with its body is what comes apart from it, but for where the body is.
TEST(EvaluationTest, ALargeMessageIsSentAsItWasChecked) {
  for (const State& state : kEntities) {
    for (const auto& message : kMessages) {
      for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{2} * kLargestMessage}) {
        SCOPED_TRACE("upload " + message.name + " where the queue is " + state.name);
        const Held held = state.what();
        const Status checked = held.queue().sending().CheckLarge(message.what, bytes, held.now());
        Told told;
        KnownIds known;
        const BodyRef body{EntityId(1), SequenceNumber(77), bytes};
        told.status = held.queue()
                          .sending()
                          .SendLarge(message.what, body, known, held.now(), told.changes)
                          .status();

        EXPECT_EQ(checked, told.status);
        EXPECT_TRUE(checked.ok() || told.changes.empty());
      }
    }
  }
}

}  // namespace
}  // namespace wharf
