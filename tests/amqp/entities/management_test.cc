// `$management` by raw links: what is answered, with which types, and what is bounded. What SDKs do
// with it is told by tests/amqp/served.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/message/sections.h"
#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/entities/links_fixture.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Value Text(const char* text) { return Value(std::string(text)); }

class ManagementTest : public LinksFixture {
 protected:
  static constexpr std::uint32_t kAsker = 10;
  static constexpr std::uint32_t kTaker = 11;

  // As the JavaScript SDK does it: the link of replies has the name that requests name.
  void AttachToManagement(const std::string& entity = "q", std::uint32_t credit = 100) {
    client_.SayAttach("asker", kAsker, Role::kSender, entity + "/$management");
    client_.SayAttach("replies", kTaker, Role::kReceiver, entity + "/$management");
    client_.Hear(" attach{name=\"replies\"");
    if (credit > 0) client_.SayFlow(kTaker, credit);
  }
  static std::string Request(const std::string& operation, const Map& body) {
    std::string message;
    Writer writer(message);
    Properties properties;
    properties.message_id = std::uint64_t{++last_id_};
    properties.reply_to = "replies";
    Write(writer, properties);
    Map said;
    said.Add(Text("operation"), Value(std::string(operation)));
    said.Add(Text("com.microsoft:tracking-id"), Text("mine"));
    writer.BeginDescribed(descriptor::kApplicationProperties);
    writer.Write(said);
    writer.BeginDescribed(descriptor::kAmqpValue);
    writer.Write(body);
    return message;
  }
  // The line of the reply.
  std::string Ask(const std::string& operation, const Map& body = {}) {
    client_.SayTransfer(kAsker, Request(operation, body));
    return client_.Hear(" transfer{");
  }
  static Map Tokens(const LockToken& token) { return Tokens(std::vector<LockToken>{token}); }
  static Map Tokens(const std::vector<LockToken>& named) {
    Array tokens{.descriptors = {}, .type = Type::kUuid, .items = {}};
    for (const LockToken& token : named) {
      amqp::Uuid uuid;
      const std::string bytes = token.ToBytes();
      std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
      tokens.items.emplace_back(uuid);
    }
    Map body;
    body.Add(Text("lock-tokens"), Value(std::move(tokens)));
    return body;
  }
  // As SDKs ask for it: each with its id beside it.
  static Map ScheduleOf(int count) {
    List messages;
    for (int i = 0; i < count; ++i) {
      Map entry;
      entry.Add(Text("message"), Value(Binary{ScheduledMessage()}));
      entry.Add(Text("message-id"), Text("i"));
      messages.items.emplace_back(std::move(entry));
    }
    Map body;
    body.Add(Text("messages"), Value(std::move(messages)));
    return body;
  }
  static std::string ScheduledMessage() {
    std::string encoded;
    Writer writer(encoded);
    Map annotations;
    annotations.Add(Value(Symbol{"x-opt-scheduled-enqueue-time"}),
                    Value(TimestampMs{4'000'000'000'000}));
    writer.BeginDescribed(descriptor::kMessageAnnotations);
    writer.Write(annotations);
    writer.BeginDescribed(descriptor::kData);
    writer.WriteBinary("x");
    return encoded;
  }

  static inline std::uint64_t last_id_ = 0;
};

// ADR-7, MGM-2, PEEK-6
TEST_F(ManagementTest, AReplyNamesItsRequestByTheSameTypeAndItsStatusIsAnInt) {
  AttachToManagement();
  last_id_ = 6;
  EXPECT_THAT(Ask("com.microsoft:peek-message"),
              AllOf(HasSubstr("settled=true"), HasSubstr("correlation-id=7"),
                    HasSubstr("\"statusCode\" 204:int"),
                    HasSubstr("\"com.microsoft:tracking-id\" \"mine\"")));
}

TEST_F(ManagementTest, WhatIsNotKnownIsNotImplemented) {
  AttachToManagement();
  EXPECT_THAT(Ask("com.microsoft:sing"),
              AllOf(HasSubstr("\"statusCode\" 501:int"),
                    HasSubstr("\"errorCondition\" :amqp:not-implemented")));
}

TEST_F(ManagementTest, AnEntityThatIsNotThereIsTold) {
  AttachToManagement("nowhere");
  EXPECT_THAT(Ask("com.microsoft:peek-message"),
              AllOf(HasSubstr("\"statusCode\" 404:int"),
                    HasSubstr("The messaging entity 'nowhere' could not be found.")));
}

TEST_F(ManagementTest, ALockIsRenewedAndSettledByItsToken) {  // MGM-1, MGM-6
  AttachToManagement();
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const LockToken token = Receive()[0].token;
  EXPECT_THAT(Ask("com.microsoft:renew-lock", Tokens(token)),
              AllOf(HasSubstr("\"statusCode\" 200:int"), HasSubstr("\"expirations\" ")));

  Map completed = Tokens(token);
  completed.Add(Text("disposition-status"), Text("completed"));
  EXPECT_THAT(Ask("com.microsoft:update-disposition", completed),
              HasSubstr("\"statusCode\" 200:int"));

  // The number alone would be taken for something else.
  for (const char* again : {"com.microsoft:renew-lock", "com.microsoft:update-disposition"}) {
    EXPECT_THAT(Ask(again, completed),
                AllOf(HasSubstr("\"statusCode\" 410:int"),
                      HasSubstr("\"errorCondition\" :com.microsoft:message-lock-lost")));
  }
}

TEST_F(ManagementTest, ADeadLetterTellsWhy) {
  AttachToManagement();
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  Map dead = Tokens(Receive()[0].token);
  dead.Add(Text("disposition-status"), Text("suspended"));
  dead.Add(Text("deadletter-reason"), Text("broken"));
  Map changes;
  changes.Add(Text("color"), Text("red"));
  dead.Add(Text("properties-to-modify"), Value(std::move(changes)));

  EXPECT_THAT(Ask("com.microsoft:update-disposition", dead), HasSubstr("\"statusCode\" 200:int"));

  const auto letters = Receive("q/$DeadLetterQueue");
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_THAT(EncodedOf(letters[0]), AllOf(HasSubstr("broken"), HasSubstr("red")));
}

TEST_F(ManagementTest, ASessionIsThatOfALinkOfTheSameConnection) {  // MGM-7, MGM-9
  CreateSessions();
  AttachToManagement("letters");
  Map anna;
  anna.Add(Text("session-id"), Text("anna"));
  EXPECT_THAT(Ask("com.microsoft:get-session-state", anna),
              AllOf(HasSubstr("\"statusCode\" 410:int"),
                    HasSubstr("\"errorCondition\" :com.microsoft:session-lock-lost")));

  SayWantsSession("anna");
  client_.Hear(" attach{name=\"r\"");
  EXPECT_THAT(Ask("com.microsoft:get-session-state", anna),
              AllOf(HasSubstr("\"statusCode\" 200:int"), HasSubstr("\"session-state\" null")));
  EXPECT_THAT(Ask("com.microsoft:renew-session-lock", anna), HasSubstr("\"expiration\" "));

  client_.SayDetach(1);
  client_.HearAll();
  EXPECT_THAT(Ask("com.microsoft:renew-session-lock", anna), HasSubstr("\"statusCode\" 410:int"));
}

TEST_F(ManagementTest, SessionsAreListedByTheirIds) {  // MGM-10
  CreateSessions();
  AttachToManagement("letters");
  EXPECT_THAT(Ask("com.microsoft:get-message-sessions"), HasSubstr("\"statusCode\" 204:int"));
  for (const char* id : {"carla", "anna", "bert"}) SendInSession(id, "Dear you");
  Map body;
  body.Add(Text("last-updated-time"), Value(TimestampMs{253'402'300'799'999}));
  body.Add(Text("skip"), Value(std::int32_t{1}));
  body.Add(Text("top"), Value(std::int32_t{1}));

  EXPECT_THAT(Ask("com.microsoft:get-message-sessions", body),
              AllOf(HasSubstr("\"skip\" 2:int"), HasSubstr("\"bert\""), Not(HasSubstr("\"anna\"")),
                    Not(HasSubstr("\"carla\""))));
}

TEST_F(ManagementTest, OldMessagesAreDeletedByTheirNumber) {  // MGM-14
  AttachToManagement();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker_.Send("q", "x").ok());
  Map body;
  body.Add(Text("message-count"), Value(std::int32_t{2}));
  EXPECT_THAT(Ask("com.microsoft:batch-delete-messages", body),
              HasSubstr("\"message-count\" 2:int"));
  EXPECT_EQ(Receive().size(), 1U);
}

TEST_F(ManagementTest, APeekedMessageOfAPartitionedEntityTellsItsPartition) {
  QueueDescription queue;
  queue.name = "parts";
  queue.enable_partitioning = true;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  AttachToManagement("parts");
  ASSERT_TRUE(broker_.Send("parts", "hello").ok());

  Ask("com.microsoft:peek-message");

  EXPECT_THAT(client_.last_payload(), HasSubstr("x-opt-partition-id"));
}

TEST_F(ManagementTest, OldMessagesOfOneSessionAreDeleted) {  // BDL-5
  CreateSessions();
  AttachToManagement("letters");
  for (int i = 0; i < 2; ++i) {
    for (const char* id : {"anna", "bert"}) SendInSession(id, "Dear you");
  }
  Map body;
  body.Add(Text("message-count"), Value(std::int32_t{100}));
  body.Add(Text("session-id"), Text("bert"));

  EXPECT_THAT(Ask("com.microsoft:batch-delete-messages", body),
              HasSubstr("\"message-count\" 2:int"));
  // The SDK for JavaScript takes no other 204 for an answer.
  EXPECT_THAT(Ask("com.microsoft:batch-delete-messages", body),
              AllOf(HasSubstr("\"statusCode\" 204:int"),
                    HasSubstr("\"errorCondition\" :com.microsoft:message-not-found")));
  const auto left = broker_.Peek("letters", 0, 10)->messages;
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].message->message.session_id, "anna");
  EXPECT_EQ(left[1].message->message.session_id, "anna");
}

// MGM-1, MGM-6
TEST_F(ManagementTest, LocksThatAreNamedTogetherAreSettledAndRenewedTogether) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const auto held = Receive();
  ASSERT_EQ(held.size(), 2U);
  AttachToManagement();
  broker_.Advance(std::chrono::seconds(20));
  Map good = Tokens({held[0].token, held[1].token});
  Map bad = Tokens({held[0].token, LockToken{1, 2}});
  bad.Add(Text("disposition-status"), Text("completed"));

  EXPECT_THAT(
      Ask("com.microsoft:renew-lock", bad),
      AllOf(HasSubstr("\"statusCode\" 410:int"), HasSubstr(":com.microsoft:message-lock-lost")));
  EXPECT_THAT(
      Ask("com.microsoft:update-disposition", bad),
      AllOf(HasSubstr("\"statusCode\" 410:int"), HasSubstr(":com.microsoft:message-lock-lost")));
  EXPECT_EQ(broker_.GetQueue("q")->main.messages(), 2);
  EXPECT_THAT(Ask("com.microsoft:renew-lock", good), HasSubstr("\"expirations\" array timestamp["));
  broker_.Advance(std::chrono::seconds(20));
  good.Add(Text("disposition-status"), Text("completed"));
  EXPECT_THAT(Ask("com.microsoft:update-disposition", good), HasSubstr("\"statusCode\" 200:int"));
  EXPECT_EQ(broker_.GetQueue("q")->main.messages(), 0);
}

TEST_F(ManagementTest, ALockThatIsNotRenewedWithTheOthersEndsInItsTime) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const auto held = Receive();
  AttachToManagement();
  broker_.Advance(std::chrono::seconds(20));

  Ask("com.microsoft:renew-lock", Tokens({held[0].token, LockToken{1, 2}}));
  broker_.Advance(std::chrono::seconds(11));

  EXPECT_EQ(Receive().size(), 2U);
}

TEST_F(ManagementTest, ATransferDeadLetterQueueIsEmpty) {
  AttachToManagement("q/$Transfer/$DeadLetterQueue");
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  EXPECT_THAT(Ask("com.microsoft:peek-message"), HasSubstr("\"statusCode\" 204:int"));
  EXPECT_THAT(Ask("com.microsoft:renew-lock"), HasSubstr("\"statusCode\" 400:int"));
}

TEST_F(ManagementTest, AnAnswerWaitsForCredit) {
  AttachToManagement("q", 0);
  EXPECT_THAT(Ask("com.microsoft:peek-message"), IsEmpty());

  client_.SayFlow(kTaker, 1);

  EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("\"statusCode\" 204:int"));
}

TEST_F(ManagementTest, WhoTakesNoAnswersIsNotAnsweredForEver) {
  AttachToManagement("q", 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker_.Send("q", std::string(900'000, 'x')).ok());
  Map body;
  body.Add(Text("message-count"), Value(std::int32_t{1}));
  for (int i = 0; i < 10; ++i) {
    client_.SayTransfer(kAsker, Request("com.microsoft:peek-message", body));
    client_.HearAll();
  }
  client_.SayTransfer(kAsker, Request("com.microsoft:peek-message", body));

  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("com.microsoft:server-busy"));
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
}

TEST_F(ManagementTest, WhatIsNoMessageIsRejected) {
  AttachToManagement();
  client_.SayTransfer(kAsker, "nonsense");
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("rejected"));
  client_.SayTransfer(kAsker, std::string(2'000'000, 'x'));
  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("amqp:link:message-size-exceeded"));
  EXPECT_EQ(served_->partial_bytes().taken(), 0U);
}

TEST_F(ManagementTest, WhereAnswersGoWithTheirLinkOthersGetCreditAgain) {
  AttachToManagement("q", 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker_.Send("q", std::string(900'000, 'x')).ok());
  for (int i = 0; i < 3; ++i) Ask("com.microsoft:peek-message");
  client_.HearAll();

  client_.SayDetach(kTaker);

  EXPECT_THAT(client_.Hear(" flow{"), HasSubstr("link-credit=16"));
}

// --- in a transaction

TEST_F(ManagementTest, WhatIsSettledInATransactionIsSettledWithItsCommit) {  // TXN-1, TXN-12
  ASSERT_TRUE(broker_.Send("q", "hello").ok());
  const LockToken token = Receive()[0].token;
  AttachControl();
  AttachToManagement();
  Map body = Tokens(token);
  body.Add(Text("disposition-status"), Text("completed"));

  for (const bool fails : {true, false}) {
    const Binary txn = Declare();
    client_.SayTransfer(kAsker, Request("com.microsoft:update-disposition", body), 0, In(txn));
    EXPECT_THAT(client_.Hear(" disposition{"),
                AllOf(HasSubstr("transactional-state{"), HasSubstr("accepted")));
    EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("\"statusCode\" 200:int"));
    EXPECT_EQ(broker_.GetQueue("q")->main.messages(), 1);

    EXPECT_THAT(Discharge(txn, fails), HasSubstr("accepted"));
    EXPECT_EQ(broker_.GetQueue("q")->main.messages(), fails ? 1 : 0);
  }
}

TEST_F(ManagementTest, WhatIsScheduledInATransactionHasNoNumberBefore) {  // MGM-3
  AttachControl();
  AttachToManagement();
  const Binary txn = Declare();

  client_.SayTransfer(kAsker, Request("com.microsoft:schedule-message", ScheduleOf(2)), 0, In(txn));

  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  EXPECT_THAT(client_.Hear(" transfer{"),
              HasSubstr("\"sequence-numbers\" array long[0:long, 0:long]"));
  EXPECT_THAT(broker_.ListScheduled("q")->messages, IsEmpty());
  EXPECT_THAT(Discharge(txn), HasSubstr("accepted"));
  EXPECT_EQ(broker_.ListScheduled("q")->messages.size(), 2U);
}

TEST_F(ManagementTest, WhatIsNoPartOfATransactionMakesItFail) {  // TXN-2, TXN-21
  AttachControl();
  AttachToManagement();
  const Binary txn = Declare();

  client_.SayTransfer(kAsker, Request("com.microsoft:peek-message", {}), 0, In(txn));

  EXPECT_THAT(client_.Hear(" disposition{"), HasSubstr("accepted"));
  EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("\"errorCondition\" :amqp:not-allowed"));
  EXPECT_THAT(Discharge(txn), HasSubstr("amqp:transaction:rollback"));
}

TEST_F(ManagementTest, WhatIsAskedInATransactionThatIsNoneIsRejected) {  // TXN-17
  AttachToManagement();

  client_.SayTransfer(kAsker, Request("com.microsoft:update-disposition", {}), 0,
                      In(Binary{"none"}));

  EXPECT_THAT(client_.Hear(" disposition{"),
              AllOf(HasSubstr("rejected"), HasSubstr("amqp:transaction:unknown-id")));
}

TEST_F(ManagementTest, WhatCountsForNothingIsAnsweredBeforeAClose) {
  AttachToManagement();
  client_.HearAll();
  client_.SayTransfer(kAsker, Request("com.microsoft:enumerate-rules", {}));
  served_->Work(now_);
  served_->TakeOutput(now_);
  served_->Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"}, now_);
  EXPECT_THAT(served_->TakeOutput(now_), IsEmpty());

  EXPECT_THAT(client_.HearAll(), ElementsAre(HasSubstr("statusCode"), HasSubstr(" close{")));
}

// --- walks

TEST_F(ManagementTest, ManyPagesLeaveRoomForWhatElseTheConnectionDoes) {
  AttachToManagement();
  client_.HearAll();
  for (int i = 0; i < 5; ++i) {
    client_.SayTransfer(kAsker, Request("com.microsoft:peek-message", {}));
  }

  EXPECT_TRUE(served_->wants_input());
  EXPECT_EQ(served_->unanswered_bytes().taken(), std::size_t{2} << 20);
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("\"statusCode\" 204:int"));
  }
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
}

TEST_F(ManagementTest, AWalkEndsWithItsTimeAndWithItsLink) {
  CreateSessions();
  for (int i = 0; i < 150; ++i) SendInSession("s" + std::to_string(i), "Dear you");
  AttachToManagement("letters");
  Map body;
  body.Add(Text("skip"), Value(std::int32_t{1'000'000}));
  EXPECT_THAT(Ask("com.microsoft:get-message-sessions", body), HasSubstr("204:int"));

  client_.SayTransfer(kAsker, Request("com.microsoft:get-message-sessions", body));
  now_ += std::chrono::seconds(60);
  served_->Work(now_);
  EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("com.microsoft:timeout"));

  client_.SayTransfer(kAsker, Request("com.microsoft:get-message-sessions", body));
  client_.SayDetach(kAsker);
  EXPECT_THAT(client_.Hear(" transfer{"), HasSubstr("is gone"));
}

// --- messages that nobody hears of

class UnheardTest : public ManagementTest {
 protected:
  void SayReceiveDeferred() {
    ASSERT_TRUE(broker_.Send("q", "hello").ok());
    const wharf::Delivered received = Receive()[0];
    ASSERT_TRUE(broker_.Defer("q", received.token).ok());
    number_ = received.message->number.value();
    Map body;
    List numbers;
    numbers.items.emplace_back(static_cast<std::int64_t>(number_));
    body.Add(Text("sequence-numbers"), Value(std::move(numbers)));
    client_.SayTransfer(kAsker, Request("com.microsoft:receive-by-sequence-number", body));
  }
  bool IsFree() {
    broker_.Run();
    return broker_.ReceiveDeferred("q", {number_}).ok();
  }

  std::uint64_t number_ = 0;
};

TEST_F(UnheardTest, AnAnswerThatIsWrittenKeepsItsLocks) {
  AttachToManagement();
  SayReceiveDeferred();
  // Azure's SDK for Python looks for it in the message alone.
  EXPECT_THAT(
      client_.Hear(" transfer{"),
      AllOf(HasSubstr("\"lock-token\""), HasSubstr(absl::BytesToHexString("x-opt-lock-token"))));
  client_.SayDetach(kTaker);
  GoAway();
  EXPECT_FALSE(IsFree());
}

// LCK-14
TEST_F(UnheardTest, AnAnswerThatNobodyTakesGivesItsLocksBack) {
  client_.SayAttach("asker", kAsker, Role::kSender, "q/$management");
  client_.HearAll();
  SayReceiveDeferred();
  client_.HearAll();
  EXPECT_TRUE(IsFree());
}

// LCK-14
TEST_F(UnheardTest, AnAnswerThatGoesWithItsLinkGivesItsLocksBack) {
  AttachToManagement("q", 0);
  SayReceiveDeferred();
  client_.HearAll();
  EXPECT_FALSE(IsFree());
  client_.SayDetach(kTaker);
  EXPECT_TRUE(IsFree());
}

// LCK-14
TEST_F(UnheardTest, AnAnswerThatGoesWithItsConnectionGivesItsLocksBack) {
  AttachToManagement("q", 0);
  SayReceiveDeferred();
  client_.HearAll();
  GoAway();
  EXPECT_TRUE(IsFree());
}

// LCK-14
TEST_F(UnheardTest, AnAnswerThatComesTooLateGivesItsLocksBack) {
  AttachToManagement();
  SayReceiveDeferred();
  GoAway();
  EXPECT_TRUE(IsFree());
}

// --- deferred messages over 1 MiB

class LargeDeferredTest : public ManagementTest {
 protected:
  static constexpr std::size_t kBytes = (std::size_t{3} << 19) + 7;

  LargeDeferredTest() {
    QueueDescription queue;
    queue.name = "large";
    queue.lock_duration = std::chrono::seconds(30);
    queue.max_message_size_in_kilobytes = 8192;
    EXPECT_TRUE(broker_.CreateQueue(queue).ok());
    AttachSender("large");
    AttachReceiver("large");
    AttachToManagement("large");
  }
  static std::string Large() {
    std::string body(kBytes, '\0');
    for (std::size_t i = 0; i < kBytes; ++i) body[i] = static_cast<char>('a' + (i + i / 251) % 26);
    return DataMessage(body) + FromHex("00 53 78 c1 [02 a3 ['crc'] 52 07]");
  }
  // Sends one, and sets it aside.
  SequenceNumber Defer() {
    client_.SayTransfer(0, Large());
    client_.Hear(" disposition{");
    client_.SayFlow(1, ++received_);
    HearMessage();
    Modified defer;
    defer.undeliverable_here = true;
    EXPECT_THAT(Dispose(defer, received_ - 1), HasSubstr("settled=true"));
    return broker_.Peek("large", 0)->messages.back().message->number;
  }
  void HearMessage() {
    while (!client_.Hear(" transfer{").empty()) {
    }
  }
  static Map Numbers(const std::vector<SequenceNumber>& named) {
    Map body;
    List numbers;
    for (const SequenceNumber number : named) {
      numbers.items.emplace_back(static_cast<std::int64_t>(number.value()));
    }
    body.Add(Text("sequence-numbers"), Value(std::move(numbers)));
    return body;
  }
  void SayReceive(SequenceNumber number, bool deletes = false) {
    Map body = Numbers({number});
    if (deletes) body.Add(Text("receiver-settle-mode"), Value(std::uint8_t{0}));
    client_.SayTransfer(kAsker, Request("com.microsoft:receive-by-sequence-number", body));
  }
  // Of the reply that came last its only message.
  Map MessageOfReply() {
    const Result<Sections> sections = SplitSections(client_.last_payload(), {});
    if (!sections.ok()) return {};
    Reader reader(sections->body);
    reader.EnterDescribed();
    std::uint64_t descriptor = 0;
    reader.Read(descriptor);
    Map body;
    reader.Read(body);
    EXPECT_TRUE(reader.ok() && reader.at_end()) << reader.error();
    const Value* const messages = body.FindString("messages");
    return messages == nullptr ? Map() : *messages->As<List>()->items.at(0).As<Map>();
  }
  static const std::string& BytesOf(const Map& entry) {
    return entry.FindString("message")->As<Binary>()->bytes;
  }
  // Asked by who reads no bodies: whether it is the lock that refuses him.
  ErrorCode WhyNot(SequenceNumber number) {
    broker_.Run();
    return broker_.ReceiveDeferred("large", {number.value()}).status().code();
  }
  bool IsFree(SequenceNumber number) { return WhyNot(number) == ErrorCode::kMessageSizeExceeded; }
  bool IsLocked(SequenceNumber number) { return WhyNot(number) == ErrorCode::kMessageNotFound; }

  std::uint32_t received_ = 0;
};

TEST_F(LargeDeferredTest, ItComesByItsNumberAsItWasSent) {  // SIZ-8, DEF-3
  const SequenceNumber number = Defer();
  const SequenceNumber other = Defer();
  SayReceive(number);
  HearMessage();

  const Map entry = MessageOfReply();
  EXPECT_TRUE(BareBytesIn(BytesOf(entry)) == Large());
  EXPECT_THAT(BytesOf(entry).substr(0, 500),
              AllOf(HasSubstr("x-opt-lock-token"), HasSubstr("x-opt-message-state")));
  EXPECT_TRUE(IsLocked(number));
  EXPECT_TRUE(IsFree(other));
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);

  Map body;
  Array tokens{.descriptors = {}, .type = Type::kUuid, .items = {*entry.FindString("lock-token")}};
  body.Add(Text("lock-tokens"), Value(std::move(tokens)));
  body.Add(Text("disposition-status"), Text("completed"));
  EXPECT_THAT(Ask("com.microsoft:update-disposition", body), HasSubstr("\"statusCode\" 200:int"));
  EXPECT_EQ(broker_.GetQueue("large")->main.messages(), 1);
}

TEST_F(LargeDeferredTest, ItComesAloneAndWhatComesBehindItIsNotMixedWithIt) {
  const SequenceNumber number = Defer();
  const SequenceNumber other = Defer();
  EXPECT_THAT(Ask("com.microsoft:receive-by-sequence-number", Numbers({number, other})),
              HasSubstr("amqp:link:message-size-exceeded"));
  EXPECT_TRUE(IsFree(number));

  SayReceive(number);
  client_.SayTransfer(kAsker, Request("com.microsoft:dance", {}));
  SayReceive(other);
  HearMessage();
  EXPECT_TRUE(BareBytesIn(BytesOf(MessageOfReply())) == Large());
  EXPECT_TRUE(IsLocked(number) && IsLocked(other));
}

TEST_F(LargeDeferredTest, ALinkThatGoesHalfWayGivesTheLockBack) {  // LCK-14
  const SequenceNumber number = Defer();
  SayReceive(number);
  EXPECT_NE(client_.Hear(" transfer{"), "");
  EXPECT_TRUE(IsLocked(number));
  client_.SayDetach(kTaker);
  EXPECT_TRUE(IsFree(number));
  EXPECT_EQ(broker_.Peek("large", 0)->messages.at(0).delivery.count, 1U);
}

TEST_F(LargeDeferredTest, AConnectionThatGoesHalfWayGivesTheLockBack) {  // LCK-14
  const SequenceNumber number = Defer();
  SayReceive(number);
  EXPECT_NE(client_.Hear(" transfer{"), "");
  GoAway();
  EXPECT_TRUE(IsFree(number));
}

TEST_F(LargeDeferredTest, WhatIsDeletedGoesWhenTheLastOfItIsTold) {  // RCV-1
  const SequenceNumber number = Defer();
  SayReceive(number, /*deletes=*/true);
  HearMessage();
  const Map entry = MessageOfReply();
  EXPECT_TRUE(BareBytesIn(BytesOf(entry)) == Large());
  EXPECT_EQ(entry.FindString("lock-token"), nullptr);
  EXPECT_THAT(BytesOf(entry).substr(0, 500), Not(HasSubstr("x-opt-lock")));
  EXPECT_EQ(broker_.GetQueue("large")->main.messages(), 0);
}

TEST_F(LargeDeferredTest, WhatIsDeletedStaysWhereItsLinkGoesHalfWay) {
  const SequenceNumber number = Defer();
  SayReceive(number, /*deletes=*/true);
  EXPECT_NE(client_.Hear(" transfer{"), "");
  client_.SayDetach(kTaker);
  EXPECT_TRUE(IsFree(number));
}

// Half a message must not pass for one.
TEST_F(LargeDeferredTest, AnAnswerThatCannotBeReadToItsEndEndsItsLink) {
  const SequenceNumber number = Defer();
  SayReceive(number);
  EXPECT_NE(client_.Hear(" transfer{"), "");
  // Somebody else settles it meanwhile.
  const std::string key = "lock-token";
  const std::size_t at = client_.last_payload().find(key) + key.size() + 1;
  const Result<LockToken> token = LockToken::FromBytes(client_.last_payload().substr(at, 16));
  ASSERT_TRUE(token.ok());
  ASSERT_TRUE(broker_.Complete("large", *token).ok());
  EXPECT_THAT(client_.Hear(" detach{"), HasSubstr("com.microsoft:message-lock-lost"));
}

// --- how much it takes

TEST_F(ManagementTest, SoManyMessagesAreScheduledAtOnceAndNoMoreAreRead) {
  AttachToManagement();
  const auto schedule = [this](int count) {
    return Ask("com.microsoft:schedule-message", ScheduleOf(count));
  };
  EXPECT_THAT(schedule(4500), HasSubstr("\"statusCode\" 200:int"));
  EXPECT_THAT(schedule(4501), HasSubstr("messages has 1 to 4500 of them"));
  List nothings;
  nothings.items.resize(70'000);
  Map body;
  body.Add(Text("messages"), Value(std::move(nothings)));
  EXPECT_THAT(Ask("com.microsoft:schedule-message", body),
              AllOf(HasSubstr("\"statusCode\" 400:int"), HasSubstr("more than 65536 values")));
}

TEST_F(ManagementTest, MoreAreDeletedThanMayBeWhereThereAreFewer) {
  AttachToManagement();
  ASSERT_TRUE(broker_.Send("q", "x").ok());
  Map body;
  body.Add(Text("message-count"), Value(std::int32_t{4500}));
  EXPECT_THAT(Ask("com.microsoft:batch-delete-messages", body),
              HasSubstr("\"message-count\" 1:int"));
}

// Whatever stands in a request, it has an answer, and the broker goes on.
TEST_F(ManagementTest, AnythingIsAnswered) {
  const std::uint64_t seed = FromEnvironment("WHARF_SEED", 1);
  const SeedNote note("WHARF_SEED=" + std::to_string(seed));
  Generator random(seed);
  AttachToManagement("q", 1'000'000);
  const char* const keys[] = {"lock-tokens",
                              "disposition-status",
                              "message-count",
                              "from-sequence-number",
                              "sequence-numbers",
                              "receiver-settle-mode",
                              "messages",
                              "session-id",
                              "session-state",
                              "last-updated-time",
                              "skip",
                              "top",
                              "rule-name",
                              "rule-description",
                              "enqueued-time-utc",
                              "deadletter-reason",
                              "properties-to-modify"};
  const char* const operations[] = {"renew-lock",        "update-disposition",
                                    "peek-message",      "receive-by-sequence-number",
                                    "schedule-message",  "renew-session-lock",
                                    "get-session-state", "cancel-scheduled-message",
                                    "set-session-state", "get-message-sessions",
                                    "add-rule",          "batch-delete-messages",
                                    "remove-rule",       "enumerate-rules"};
  for (int round = 0; round < 300; ++round) {
    Map body;
    for (const char* const key : keys) {
      if (random() % 2 == 0) body.Add(Text(key), RandomValue(random));
    }
    const std::string name = operations[random() % std::size(operations)];
    const std::string answer = Ask("com.microsoft:" + name, body);
    ASSERT_THAT(answer, HasSubstr("statusCode")) << name;
    client_.HearAll();
  }
}

}  // namespace
}  // namespace wharf::amqp
