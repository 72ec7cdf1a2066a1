// What holds for every request that can be asked: walks the list of them.

#include <optional>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/sample_request.h"

namespace wharf {
namespace {

// Not planned by the shard: a reader answers it.
template <typename Request>
constexpr bool kIsRead = std::is_same_v<Request, ReadBodyChunkRequest>;

template <typename Request>
constexpr bool kIsAboutEntity = requires(Request request) {
  request.entity;
};

class RequestsTest : public ReceiverFixture {
 protected:
  explicit RequestsTest(const ShardLimits& limits = {}) : ReceiverFixture(limits) {}

  Requests& requests() { return broker().requests(); }

  // Calls `each` with a sample of each request.
  template <typename Each, typename... Request>
  static void ForEach(TypeList<Request...>, Each each) {
    (each(SampleRequest<Request>()), ...);
  }
  template <typename Each>
  static void ForEach(Each each) {
    ForEach(RequestList(), std::move(each));
  }

  // What it is answered with at once, without that the broker does anything; kOk: not yet.
  template <typename Request>
  ErrorCode AskAtOnce(Caller caller, Request request) {
    const auto code = std::make_shared<ErrorCode>(ErrorCode::kOk);
    requests().Ask(std::move(caller), std::move(request),
                   [code](const Result<typename Request::Response>& answer) {
                     *code = answer.status().code();
                   });
    return *code;
  }
  // What it is answered with, and that only once.
  template <typename Request>
  ErrorCode AskAndWait(Caller caller, Request request) {
    auto answers = std::make_shared<std::vector<ErrorCode>>();
    requests().Ask(std::move(caller), std::move(request),
                   [answers](const Result<typename Request::Response>& answer) {
                     answers->push_back(answer.status().code());
                   });
    engine_.Run();
    EXPECT_EQ(answers->size(), 1U) << typeid(Request).name();
    return answers->size() == 1 ? answers->front() : ErrorCode::kGeneralError;
  }
  std::size_t CountChanges() const {
    std::size_t count = 0;
    for (const Changes& changes : turns_.turns) count += changes.size();
    return count;
  }
};

TEST_F(RequestsTest, EachIsAnsweredOnce) {
  ForEach([&]<typename Request>(Request request) { AskAndWait(Caller(), std::move(request)); });
}

TEST_F(RequestsTest, EachHearsThatTheLogIsClosed) {
  engine_.shard().Close({ErrorCode::kGeneralError, "the log is closed"});
  engine_.Run();

  ForEach([&]<typename Request>(Request request) {
    EXPECT_NE(AskAndWait(Caller(), std::move(request)), ErrorCode::kOk) << typeid(Request).name();
  });
}

TEST_F(RequestsTest, WhatNobodyWaitsForAnyMoreIsNotBegun) {
  const std::size_t before = CountChanges();

  ForEach([&]<typename Request>(Request request) {
    if constexpr (!kIsRead<Request>) {
      EXPECT_EQ(AskAndWait({.patience = Duration(0)}, std::move(request)),
                ErrorCode::kServiceTimeout)
          << typeid(Request).name();
    }
  });

  EXPECT_EQ(CountChanges(), before);
}

TEST_F(RequestsTest, ACallerThatWaitsLongEnoughIsServed) {
  const Caller patient{.patience = std::chrono::seconds(1)};

  EXPECT_EQ(AskAndWait(patient, SampleRequest<SendRequest>()), ErrorCode::kOk);
}

// A test that moves the broker's clock takes nobody's patience.
TEST_F(RequestsTest, PatienceIsNotMeasuredInBrokerTime) {
  std::optional<ErrorCode> code;
  requests().Ask({.patience = std::chrono::hours(1)}, SampleRequest<SendRequest>(),
                 [&code](const Result<SendReceipt>& answer) { code = answer.status().code(); });

  engine_.Advance(std::chrono::hours(24));

  EXPECT_EQ(code, ErrorCode::kOk);
}

TEST_F(RequestsTest, NoneGoesToANamesakeOfItsEntity) {
  const EntityRef gone = requests().Find("orders");
  ASSERT_TRUE(gone.lane.has_value());
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  QueueDescription again;
  again.name = "orders";
  ASSERT_TRUE(engine_.CreateQueue(again).ok());
  const std::size_t before = CountChanges();

  ForEach([&]<typename Request>(Request request) {
    if constexpr (kIsAboutEntity<Request>) {
      request.entity = gone;
      EXPECT_EQ(AskAndWait(Caller(), std::move(request)), ErrorCode::kMessagingEntityNotFound)
          << typeid(Request).name();
    }
  });

  EXPECT_EQ(CountChanges(), before);
}

TEST_F(RequestsTest, NorDoesAReceiverOrAnUploadOrAWait) {
  const EntityRef gone = requests().Find("orders");
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  QueueDescription again;
  again.name = "orders";
  again.requires_session = true;
  ASSERT_TRUE(engine_.CreateQueue(again).ok());
  Pending<Attached> attached;
  Pending<SendOutcome> uploaded;
  Pending<std::vector<Delivered>> received;
  Pending<AcceptedSession> accepted;
  Pending<std::monostate> closed;

  requests().Attach({}, {gone}, std::make_shared<RecordingSink>(), attached.answer());
  requests().Upload(
      {}, {gone, Message(), 1}, [] {}, uploaded.answer());
  requests().Wait({}, ReceiveRequest{gone}, received.answer());
  requests().Wait({}, AcceptSessionRequest{gone, {}}, accepted.answer());
  requests().Wait({}, AwaitClosedRequest{gone}, closed.answer());
  engine_.Run();

  EXPECT_EQ(attached.result->status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(uploaded.result->status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(received.result->status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(accepted.result->status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(closed.result->status().code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(RequestsTest, AnEntityIsFoundAsSoonAsAnybodyHearsThatItWasMade) {
  QueueDescription other;
  other.name = "other";
  bool was_found = false;
  broker().CreateQueue(other, [&](const Result<QueueSnapshot>& made) {
    was_found = made.ok() && requests().Find("OTHER").lane.has_value();
  });
  engine_.Run();
  EXPECT_TRUE(was_found);

  bool was_there = true;
  broker().DeleteQueue("other", [&](const Result<std::monostate>&) {
    was_there = requests().Find("other").lane.has_value();
  });
  engine_.Run();
  EXPECT_FALSE(was_there);
}

TEST_F(RequestsTest, AnEntityIsFoundAfterARestart) {
  engine_.Restart();

  EXPECT_TRUE(requests().Find("orders/$DeadLetterQueue").lane.has_value());
}

// What was planned and is not durable is no entity yet.
TEST_F(RequestsTest, AnEntityIsNotFoundBeforeItIsDurable) {
  engine_.memory_log().Hold();
  Pending<QueueSnapshot> made;
  QueueDescription other;
  other.name = "other";
  broker().CreateQueue(other, made.answer());
  engine_.Run();

  EXPECT_FALSE(requests().Find("other").lane.has_value());

  engine_.memory_log().Release();
  engine_.Run();
  EXPECT_TRUE(requests().Find("other").lane.has_value());
}

class FullInboxTest : public RequestsTest {
 protected:
  static ShardLimits Limits() {
    ShardLimits limits;
    limits.admitted_weight_max = 1;
    return limits;
  }
  FullInboxTest() : RequestsTest(Limits()) {}
};

TEST_F(FullInboxTest, EachIsRefused) {
  // The share of those who make room is larger.
  AskAtOnce(Caller(), SampleRequest<SendRequest>());
  AskAtOnce(Caller(), SampleRequest<SettleRequest>());

  ForEach([&]<typename Request>(Request request) {
    if constexpr (!kIsRead<Request>) {
      EXPECT_EQ(AskAtOnce(Caller(), std::move(request)), ErrorCode::kServiceBusy)
          << typeid(Request).name();
    }
  });
  Pending<Attached> attached;
  Pending<std::vector<Delivered>> received;
  requests().Attach({}, {kSampleEntity}, std::make_shared<RecordingSink>(), attached.answer());
  requests().Wait({}, ReceiveRequest{kSampleEntity}, received.answer())->Cancel();
  EXPECT_EQ(attached.result->status().code(), ErrorCode::kServiceBusy);
  EXPECT_EQ(received.result->status().code(), ErrorCode::kServiceBusy);
  engine_.Run();
}

}  // namespace
}  // namespace wharf
