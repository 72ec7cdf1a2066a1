// Transactions over AMQP: what links of a connection do together takes effect together, or not at
// all (TXN-11 to TXN-18).
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/entities/transactions/begun_transactions.h"
#include "broker/doors/amqp/entities/transactions/control_message.h"
#include "broker/doors/amqp/message/batch.h"
#include "tests/amqp/entities/links_fixture.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class TransactionsTest : public LinksFixture {
 protected:
  TransactionsTest() { AttachControl(); }

  // The line of the answer.
  std::string SendIn(const Binary& txn, const std::string& body, std::uint32_t handle = 0) {
    client_.SayTransfer(handle, DataMessage(body), 0, In(txn));
    return client_.Hear(" disposition{");
  }
  // So many messages, by a link of the handle 1; the first has the delivery number 0.
  void SendAndReceive(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
    AttachReceiver();
    client_.SayFlow(1, count);
    for (std::uint32_t i = 0; i < count; ++i) client_.Hear(" transfer{");
  }
  void SayForgets(std::uint32_t delivery, DeliveryState state) {
    Disposition disposition;
    disposition.role = Role::kReceiver;
    disposition.first = delivery;
    disposition.settled = true;
    disposition.state = std::move(state);
    client_.Say(disposition);
  }
  std::int64_t Count(const std::string& queue = "q") {
    return broker_.GetQueue(queue)->main.messages();
  }
  void CreateOther() {
    QueueDescription queue;
    queue.name = "other";
    ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  }
};

// --- the control link

TEST(ControlMessageTest, IsReadAsClientsWriteIt) {  // TXN-15
  const auto read = [](const std::string& hex) { return ReadControlMessage(FromHex(hex)); };
  // .NET, and Qpid JMS: an empty list; and one with a null in it.
  for (const char* declare :
       {"00 53 77 00 53 31 45", "00 53 77 00 53 31 c0 [01 40]",
        // Proton: a symbol, and a list in its long form.
        "00 53 77 00 a3 ['amqp:declare:list'] d0 00 00 00 05 00 00 00 01 40"}) {
    const auto said = read(declare);
    ASSERT_TRUE(said.ok()) << said.status().message();
    EXPECT_TRUE(std::holds_alternative<Declare>(*said));
  }
  const auto commit = read("00 53 77 00 53 32 c0 [02 a0 ['id'] 42]");
  ASSERT_TRUE(commit.ok());
  EXPECT_EQ(std::get<Discharge>(*commit).txn_id.bytes, "id");
  EXPECT_EQ(std::get<Discharge>(*commit).fail, false);
  const auto roll_back = read("00 53 77 00 80 00 00 00 00 00 00 00 32 c0 [02 a0 ['id'] 41]");
  ASSERT_TRUE(roll_back.ok());
  EXPECT_EQ(std::get<Discharge>(*roll_back).fail, true);
}

TEST(ControlMessageTest, AnythingElseIsNone) {
  for (const char* other : {"", "00 53 77 a0 ['x']", "00 53 77 45", "00 53 75 a0 ['x']",
                            "00 53 77 00 53 24 45", "00 53 77 00 53 32 45"}) {
    EXPECT_FALSE(ReadControlMessage(FromHex(other)).ok()) << other;
  }
}

TEST_F(TransactionsTest, TheCoordinatorTellsWhatItCanDo) {  // ADR-9, TXN-23
  Attach attach;
  attach.name = "another";
  attach.handle = 21;
  attach.role = Role::kSender;
  attach.source.emplace();
  attach.target = Coordinator{.capabilities = {Symbol{"amqp:distributed-transactions"}}};
  attach.initial_delivery_count = 0;
  client_.Say(attach);

  EXPECT_THAT(client_.Hear(" attach{name=\"another\""),
              AllOf(HasSubstr("amqp:local-transactions"), HasSubstr("amqp:multi-txns-per-ssn"),
                    HasSubstr("amqp:multi-ssns-per-txn"), Not(HasSubstr("distributed"))));
  EXPECT_THAT(client_.Hear(" flow{"), HasSubstr("link-credit=100"));
}

TEST_F(TransactionsTest, AControlMessageThatIsSettledEndsItsLink) {  // TXN-15
  client_.SayTransfer(kControl, ControlMessageOf(amqp::Declare()), 0, std::nullopt, true);

  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-allowed"));
}

TEST_F(TransactionsTest, WhatIsNoControlMessageIsRejected) {
  client_.SayTransfer(kControl, DataMessage("hello"));
  EXPECT_THAT(client_.Hear(" disposition{"),
              AllOf(HasSubstr("rejected"), HasSubstr("settled=true")));
  client_.SayTransfer(kControl,
                      ControlMessageOf(amqp::Declare{.global_id = Value(std::uint32_t{7})}));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("amqp:not-implemented"));
  EXPECT_THAT(Declare().bytes, SizeIs(36));
}

// --- sending

TEST_F(TransactionsTest, WhatIsSentIsThereWithItsCommit) {  // TXN-11
  AttachSender();
  const Binary txn = Declare();

  EXPECT_THAT(SendIn(txn, "one"), AllOf(HasSubstr("settled=true"),
                                        HasSubstr("transactional-state{"), HasSubstr("accepted")));
  EXPECT_EQ(Count(), 0);

  EXPECT_THAT(Discharge(txn), AllOf(HasSubstr("settled=true"), HasSubstr("state=accepted")));
  EXPECT_EQ(Count(), 1);
}

TEST_F(TransactionsTest, WhatIsRolledBackWasNeverSent) {  // TXN-12
  AttachSender();
  const Binary txn = Declare();
  SendIn(txn, "one");

  EXPECT_THAT(Discharge(txn, true), HasSubstr("state=accepted"));

  EXPECT_EQ(Count(), 0);
}

TEST_F(TransactionsTest, ABatchIsAPartAsAWhole) {  // TXN-9
  AttachSender();
  const auto send = [this](const Binary& txn, int count) {
    std::string batch;
    Writer writer(batch);
    for (int i = 0; i < count; ++i) {
      writer.BeginDescribed(descriptor::kData);
      writer.WriteBinary(DataMessage("x"));
    }
    client_.SayTransfer(0, batch, kBatchFormat, In(txn));
    return client_.Hear(" disposition{");
  };
  const Binary txn = Declare();
  EXPECT_THAT(send(txn, 60), HasSubstr("accepted"));
  EXPECT_THAT(send(txn, 41), AllOf(HasSubstr("rejected"), HasSubstr("more than 100 messages")));
  EXPECT_THAT(Discharge(txn), HasSubstr("amqp:transaction:rollback"));
  EXPECT_EQ(Count(), 0);

  const Binary other = Declare();
  EXPECT_THAT(send(other, 100), HasSubstr("accepted"));
  EXPECT_THAT(Discharge(other), HasSubstr("state=accepted"));
  EXPECT_EQ(Count(), 100);
}

TEST_F(TransactionsTest, SeveralAreOpenAtOnce) {  // TXN-18
  CreateOther();
  AttachSender();
  client_.SayAttach("o", 2, Role::kSender, "other");
  client_.Hear(" flow{");
  const Binary first = Declare();
  const Binary second = Declare();
  SendIn(first, "one");
  SendIn(second, "two", 2);
  SendIn(first, "three", 2);

  EXPECT_THAT(Discharge(second), HasSubstr("state=accepted"));
  EXPECT_EQ(Count("other"), 1);
  EXPECT_THAT(Discharge(first, true), HasSubstr("state=accepted"));

  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(Count("other"), 1);
}

TEST_F(TransactionsTest, OneThatWasNeverDeclaredOrIsDischargedIsUnknown) {  // TXN-17
  AttachSender();
  const Binary txn = Declare();
  Discharge(txn);

  for (const Binary& unknown : {txn, Binary{"none"}}) {
    EXPECT_THAT(SendIn(unknown, "one"),
                AllOf(HasSubstr("rejected"), HasSubstr("amqp:transaction:unknown-id")));
    EXPECT_THAT(Discharge(unknown), HasSubstr("amqp:transaction:unknown-id"));
  }
  EXPECT_EQ(Count(), 0);
}

// A client that settles what it sends has no answer that would tell it.
TEST_F(TransactionsTest, WhatFailsUnheardMakesItFail) {  // TXN-21
  AttachSender();
  const Binary txn = Declare();
  SendIn(txn, "one");
  client_.SayTransfer(0, "nonsense", 0, In(txn), true);

  EXPECT_THAT(Discharge(txn), AllOf(HasSubstr("rejected"), HasSubstr("amqp:transaction:rollback")));
  EXPECT_EQ(Count(), 0);
}

// The broker has not said yet whether it takes what came before.
TEST_F(TransactionsTest, ADischargeWaitsForWhatCameBefore) {
  AttachSender();
  const Binary fails = Declare();
  client_.SayTransfer(0, DataMessage("two", std::string(200, 'x')), 0, In(fails), true);
  EXPECT_THAT(Discharge(fails), HasSubstr("amqp:transaction:rollback"));

  const Binary succeeds = Declare();
  for (int i = 0; i < 10; ++i) client_.SayTransfer(0, DataMessage("x"), 0, In(succeeds), true);
  EXPECT_THAT(Discharge(succeeds), HasSubstr("state=accepted"));
  EXPECT_EQ(Count(), 10);
}

// An SDK does not try again what failed in a transaction: it declares another one, and does all of
// it once more.
TEST_F(TransactionsTest, WhatIsDoneAgainInAnotherOneIsDoneOnce) {  // TXN-22
  AttachSender();
  for (const bool fails : {true, false}) {
    const Binary txn = Declare();
    SendIn(txn, "one");
    if (fails) client_.SayTransfer(0, "nonsense", 0, In(txn), true);
    EXPECT_THAT(Discharge(txn), HasSubstr(fails ? "amqp:transaction:rollback" : "state=accepted"));
  }
  EXPECT_EQ(Count(), 1);
}

// --- settling

TEST_F(TransactionsTest, MovesAMessageFromOneQueueToAnother) {
  CreateOther();
  SendAndReceive(1);
  client_.SayAttach("o", 2, Role::kSender, "other");
  client_.Hear(" flow{");
  const Binary txn = Declare();

  EXPECT_THAT(
      Dispose(In(txn, Accepted())),
      AllOf(HasSubstr("settled=true"), HasSubstr("transactional-state{"), HasSubstr("accepted")));
  SendIn(txn, "moved", 2);
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(Count("other"), 0);
  EXPECT_THAT(Discharge(txn), HasSubstr("state=accepted"));

  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(Count("other"), 1);
}

TEST_F(TransactionsTest, EachOutcomeIsDoneWithItsCommit) {  // TXN-1
  SendAndReceive(4);
  const Binary txn = Declare();
  Rejected dead;
  dead.error.emplace().condition.text = "com.microsoft:dead-letter";
  Dispose(In(txn, Accepted()), 0);
  Dispose(In(txn, Modified()), 1);
  Dispose(
      In(txn,
         Modified{.delivery_failed = {}, .undeliverable_here = true, .message_annotations = {}}),
      2);
  EXPECT_THAT(Dispose(In(txn, dead), 3), AllOf(HasSubstr("rejected"), Not(HasSubstr("error"))));
  EXPECT_THAT(Receive(), IsEmpty());

  EXPECT_THAT(Discharge(txn), HasSubstr("state=accepted"));

  const auto abandoned = Receive();
  ASSERT_THAT(abandoned, SizeIs(1));
  EXPECT_EQ(abandoned[0].delivery.count, 1U);
  EXPECT_EQ(broker_.GetQueue("q")->main.deferred, 1);
  EXPECT_THAT(Receive("q/$DeadLetterQueue"), SizeIs(1));
}

// It can be named by its token.
TEST_F(TransactionsTest, WhatIsSettledInTwoPhasesKeepsItsLockWhenItIsRolledBack) {  // TXN-12
  SendAndReceive(1);
  const Binary txn = Declare();
  Dispose(In(txn, Accepted()));

  Discharge(txn, true);

  EXPECT_EQ(Count(), 1);
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(TransactionsTest, WhatItsClientHasSettledIsReleasedWhenItIsRolledBack) {  // TXN-12
  SendAndReceive(1);
  const Binary txn = Declare();
  SayForgets(0, In(txn, Accepted()));
  client_.HearAll();
  EXPECT_THAT(Receive(), IsEmpty());

  Discharge(txn, true);

  const auto again = Receive();
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].delivery.count, 0U);
}

TEST_F(TransactionsTest, WhatItsClientHasSettledInNoneIsReleased) {
  SendAndReceive(2);
  SayForgets(0, In(Binary{"none"}, Accepted()));
  const Binary txn = Declare();
  const Binary failed = Declare();
  AttachSender();
  client_.SayTransfer(0, "nonsense", 0, In(failed), true);
  SayForgets(1, In(failed, Accepted()));
  client_.HearAll();

  EXPECT_THAT(Receive(), SizeIs(2));
  EXPECT_THAT(Discharge(txn), HasSubstr("state=accepted"));
}

TEST_F(TransactionsTest, ALockThatIsLostMakesItFail) {  // TXN-13
  SendAndReceive(1);
  const Binary txn = Declare();
  Dispose(In(txn, Accepted()));
  broker_.Advance(std::chrono::seconds(31));

  EXPECT_THAT(Discharge(txn), AllOf(HasSubstr("rejected"), HasSubstr("amqp:transaction:rollback")));
  EXPECT_EQ(Count(), 1);
}

TEST_F(TransactionsTest, NobodyReceivesInATransaction) {  // TXN-2
  AttachReceiver();
  Flow flow;
  flow.next_incoming_id = 0;
  flow.incoming_window = 1000;
  flow.outgoing_window = 1000;
  flow.handle = 1;
  flow.delivery_count = 0;
  flow.link_credit = 1;
  flow.properties.emplace().Add(Value(Symbol{"txn-id"}), Value(Binary{"any"}));
  client_.Say(flow);

  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:not-implemented"));
}

// --- its end

TEST_F(TransactionsTest, WithItsControlLinkItIsRolledBack) {  // TXN-16
  SendAndReceive(1);
  AttachSender();
  const Binary txn = Declare();
  SendIn(txn, "one");
  SayForgets(0, In(txn, Accepted()));
  client_.HearAll();

  client_.SayDetach(kControl);
  client_.HearAll();

  EXPECT_EQ(Count(), 1);
  EXPECT_THAT(Receive(), SizeIs(1));
  EXPECT_THAT(SendIn(txn, "two"), HasSubstr("amqp:transaction:unknown-id"));
}

TEST_F(TransactionsTest, WithItsConnectionItIsRolledBack) {  // TXN-16
  SendAndReceive(1);
  const Binary txn = Declare();
  SayForgets(0, In(txn, Accepted()));
  client_.HearAll();

  GoAway();
  broker_.Run();

  EXPECT_THAT(Receive(), SizeIs(1));
}

// Its begin is answered when nobody is there to hear of it.
TEST_F(TransactionsTest, OneThatBeginsTooLateIsRolledBack) {  // TXN-16
  BegunTransactions begun(broker_.broker().requests(), nullptr, "10.0.0.9:7");
  ASSERT_TRUE(broker_.BeginTransaction("early").ok());
  begun.Add("early");
  begun.End();
  ASSERT_TRUE(broker_.BeginTransaction("late").ok());
  begun.Add("late");
  broker_.Run();

  EXPECT_EQ(broker_.GetTransaction("early")->state, TransactionState::kRolledBack);
  EXPECT_EQ(broker_.GetTransaction("late")->state, TransactionState::kRolledBack);
}

TEST_F(TransactionsTest, OneThatIsOpenForTooLongIsRolledBack) {  // TXN-10
  AttachSender();
  const Binary txn = Declare();
  SendIn(txn, "one");
  broker_.Advance(std::chrono::minutes(2));
  now_ += std::chrono::minutes(2);

  EXPECT_THAT(Discharge(txn), AllOf(HasSubstr("rejected"), HasSubstr("amqp:transaction:timeout")));
  EXPECT_EQ(Count(), 0);
  const Binary other = Declare();
  broker_.Advance(std::chrono::minutes(2));
  now_ += std::chrono::minutes(2);
  EXPECT_THAT(Discharge(other, true), HasSubstr("state=accepted"));
}

TEST_F(TransactionsTest, AConnectionHasAHundredOpen) {
  std::vector<Binary> open;
  for (int i = 0; i < 100; ++i) open.push_back(Declare());
  client_.SayTransfer(kControl, ControlMessageOf(amqp::Declare()));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("amqp:resource-limit-exceeded"));

  Discharge(open.front());

  EXPECT_THAT(Declare().bytes, SizeIs(36));
  // Those that are over by themselves make room.
  broker_.Advance(std::chrono::minutes(2));
  now_ += std::chrono::minutes(2);
  EXPECT_THAT(Declare().bytes, SizeIs(36));
}

// --- by way of another entity

Attach ByWayOf(const std::string& by, const std::string& to) {
  Attach attach;
  attach.name = "via";
  attach.handle = 2;
  attach.role = Role::kSender;
  attach.source.emplace();
  attach.target = TargetAt(by);
  attach.initial_delivery_count = 0;
  attach.properties.emplace().Add(Value(Symbol{"com.microsoft:transfer-destination-address"}),
                                  Value(to));
  return attach;
}

// As SDKs do it across entities: the coordinator first, then the entity that all of it goes by way
// of. A receiver of another one is taken as well: ours spans any entities.
TEST_F(TransactionsTest, OneThatBeginsWithItsCoordinatorSpansEntities) {  // TXN-7
  CreateOther();
  ASSERT_TRUE(broker_.Send("q", "one").ok());
  ASSERT_TRUE(broker_.Send("other", "two").ok());
  AttachReceiver("q");
  client_.Say(Receiver("r2", 5, "other"));
  client_.Hear(" attach{name=\"r2\"");
  client_.Say(ByWayOf("q", "other"));
  client_.Hear(" flow{");
  for (const std::uint32_t handle : {1U, 5U}) {
    client_.SayFlow(handle, 1);
    client_.Hear(" transfer{");
  }

  const Binary txn = Declare();
  EXPECT_THAT(Dispose(In(txn, Accepted()), 0), HasSubstr("accepted"));
  EXPECT_THAT(Dispose(In(txn, Accepted()), 1), HasSubstr("accepted"));
  EXPECT_THAT(SendIn(txn, "three", 2), HasSubstr("accepted"));
  EXPECT_THAT(Discharge(txn), HasSubstr("state=accepted"));

  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(Count("other"), 1);
}

TEST_F(TransactionsTest, ASendByWayOfAnEntityGoesToItsDestination) {  // TXN-5
  CreateOther();
  client_.Say(ByWayOf("q", "other"));
  client_.Hear(" flow{");
  const Binary txn = Declare();

  EXPECT_THAT(SendIn(txn, "one", 2), HasSubstr("accepted"));
  EXPECT_THAT(Discharge(txn), HasSubstr("state=accepted"));
  client_.SayTransfer(2, DataMessage("two"));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));

  EXPECT_EQ(Count(), 0);
  EXPECT_EQ(Count("other"), 2);
}

TEST_F(TransactionsTest, ASenderEndsWithEitherOfItsEntities) {
  for (const char* gone : {"q", "other"}) {
    if (!broker_.GetQueue("other").ok()) CreateOther();
    client_.Say(ByWayOf("q", "other"));
    client_.Hear(" flow{");
    ASSERT_TRUE(broker_.DeleteQueue(gone).ok());
    EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:resource-deleted")) << gone;
    client_.SayDetach(2);
    QueueDescription again;
    again.name = gone;
    ASSERT_TRUE(broker_.CreateQueue(again).ok());
  }
}

// Its client may commit before it hears that a part of it will never come.
TEST_F(TransactionsTest, AMessageWhoseEntityGoesHalfWayMakesItFail) {
  AttachSender();
  const Binary txn = Declare();
  client_.SayFirstPart(0, DataMessage("half"), In(txn));
  client_.HearAll();
  ASSERT_TRUE(broker_.DeleteQueue("q").ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:resource-deleted"));

  EXPECT_THAT(Discharge(txn), HasSubstr("rejected"));
}

// Nor does it know of a detach before it hears of it.
TEST_F(TransactionsTest, AMessageThatCrossesADetachMakesItFail) {
  CreateOther();
  AttachSender();
  const Binary txn = Declare();
  const Binary other = Declare();
  ASSERT_TRUE(broker_.DeleteQueue("q").ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("amqp:resource-deleted"));

  client_.SayTransfer(0, DataMessage("late"), 0, In(txn), true);
  EXPECT_THAT(Discharge(txn), HasSubstr("amqp:transaction:rollback"));
  client_.SayAttach("other", 2, Role::kSender, "other");
  client_.Hear(" flow{");
  EXPECT_THAT(SendIn(other, "in time", 2), HasSubstr("accepted"));
  EXPECT_THAT(Discharge(other), HasSubstr("state=accepted"));
  EXPECT_EQ(Count("other"), 1);
}

class IdleTransactionsTest : public TransactionsTest {
 protected:
  IdleTransactionsTest() { world_.link_idle_max = &idle_max_; }

  // Nothing is done on other links for so long that they end.
  std::string HearLinkEnd() {
    served_->Tick(now_ += limits_.look_pace);
    Discharge(Declare(), true);
    served_->Tick(now_ += idle_max_.load());
    return client_.Hear(" detach{");
  }

  const std::atomic<DoorLimits::Span> idle_max_ = DoorLimits::Span(60'000);
};

TEST_F(IdleTransactionsTest, AnOutcomeThatCrossesADetachMakesItFail) {
  SendAndReceive(2);
  const Binary txn = Declare();
  const Binary other = Declare();
  EXPECT_THAT(HearLinkEnd(), HasSubstr("handle=1"));

  SayForgets(0, In(txn, Accepted()));
  EXPECT_THAT(Discharge(txn), HasSubstr("amqp:transaction:rollback"));
  client_.SayDetach(1);
  Disposition disposition;
  disposition.role = Role::kReceiver;
  disposition.first = 1;
  disposition.state = In(other, Accepted());
  client_.Say(disposition);
  EXPECT_THAT(Discharge(other), HasSubstr("amqp:transaction:rollback"));
  EXPECT_EQ(Count(), 2);
}

// It said when it began what it belongs to.
TEST_F(IdleTransactionsTest, AMessageWhoseLinkEndsHalfWayMakesItFail) {
  std::uint32_t handle = 0;
  for (const char* address : {"q", "q/$management"}) {
    client_.SayAttach(address, handle, Role::kSender, address);
    client_.Hear(" flow{");
    const Binary txn = Declare();
    client_.SayFirstPart(handle++, DataMessage("half"), In(txn));
    HearLinkEnd();
    EXPECT_THAT(Discharge(txn), HasSubstr("amqp:transaction:rollback")) << address;
  }
}

TEST_F(TransactionsTest, BothEntitiesOfASendMustBeThere) {  // TXN-8
  std::uint32_t handle = 2;
  for (const auto& [by, to] : {std::pair("q", "nowhere"), std::pair("nowhere", "q")}) {
    Attach attach;
    attach.name = fmt::format("via {}", handle);
    attach.handle = handle++;
    attach.role = Role::kSender;
    attach.source.emplace();
    attach.target = TargetAt(by);
    attach.initial_delivery_count = 0;
    attach.properties.emplace().Add(Value(Symbol{"com.microsoft:transfer-destination-address"}),
                                    Value(std::string(to)));
    client_.Say(attach);
    EXPECT_THAT(client_.Hear(" detach{"), AllOf(HasSubstr("amqp:not-found"), HasSubstr("nowhere")));
  }
}

}  // namespace
}  // namespace wharf::amqp
