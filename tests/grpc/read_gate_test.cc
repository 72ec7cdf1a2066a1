#include "broker/doors/common/read_gate.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr ReadGate::Connection kAlice = 1;
constexpr ReadGate::Connection kBob = 2;
constexpr ReadGate::Connection kCarol = 3;
constexpr Duration kHold = seconds(5);

class FakeReader final : public ReadGate::Reader {
 public:
  void OnPlace() override { has_place = true; }
  void OnRefused(const Status& reason) override { refusal = reason; }
  void OnPlaceLost(const Status& reason) override { loss = reason; }

  bool has_place = false;
  std::optional<Status> refusal;
  std::optional<Status> loss;
};

class ReadGateTest : public ::testing::Test {
 protected:
  std::shared_ptr<FakeReader> Enter(ReadGate::Connection connection, Duration hold = kHold,
                                    ReadGate::Patience patience = ReadGate::Patience::kBounded) {
    auto reader = std::make_shared<FakeReader>();
    gate_.Enter(reader, connection, hold, patience);
    return reader;
  }
  std::shared_ptr<FakeReader> EnterPatient(ReadGate::Connection connection) {
    return Enter(connection, kHold, ReadGate::Patience::kEndless);
  }
  void Wait(Duration span) {
    clock_.Advance(span);
    gate_.Tick();
  }

  ManualClock clock_{Timestamp(seconds(1000))};
  ReadGate gate_{{.places = 4, .places_of_one = 2, .waiting = 8, .wait = seconds(20)}, clock_};
};

TEST_F(ReadGateTest, AReaderHasAPlaceAtOnceWhereOneIsFree) {
  EXPECT_TRUE(Enter(kAlice)->has_place);
  EXPECT_TRUE(Enter(kAlice)->has_place);
  EXPECT_TRUE(Enter(kBob)->has_place);
}

TEST_F(ReadGateTest, AConnectionLeavesPlacesForOthers) {
  const auto first = Enter(kAlice);
  Enter(kAlice);
  const auto third = Enter(kAlice);
  EXPECT_FALSE(third->has_place);
  EXPECT_TRUE(Enter(kBob)->has_place);

  EXPECT_FALSE(gate_.Leave(*first));

  EXPECT_TRUE(third->has_place);
}

TEST_F(ReadGateTest, OneThatDoesNotWaitHasAPlaceAtOnceOrNone) {
  const auto first = std::make_shared<FakeReader>();
  const auto second = std::make_shared<FakeReader>();
  const auto third = std::make_shared<FakeReader>();
  EXPECT_TRUE(gate_.HasShareLeft(kAlice));

  EXPECT_TRUE(gate_.TryEnter(first, kAlice, Duration::max()));
  EXPECT_TRUE(gate_.TryEnter(second, kAlice, Duration::max()));
  EXPECT_FALSE(gate_.HasShareLeft(kAlice));
  EXPECT_FALSE(gate_.TryEnter(third, kAlice, Duration::max()));
  EXPECT_TRUE(gate_.HasShareLeft(kBob));

  Wait(hours(24 * 365));
  EXPECT_FALSE(first->has_place || first->loss || third->refusal);
  gate_.Leave(*first);
  EXPECT_TRUE(gate_.HasShareLeft(kAlice));
  EXPECT_FALSE(third->has_place);
}

TEST_F(ReadGateTest, OneThatCannotBeRefusedHasAPlaceBeyondAndKeepsOthersOut) {
  std::vector<std::shared_ptr<FakeReader>> beyond;
  for (int i = 0; i < 5; ++i) {
    beyond.push_back(std::make_shared<FakeReader>());
    gate_.EnterAnyway(beyond.back(), kAlice, Duration::max());
  }

  const auto waiting = Enter(kBob);
  EXPECT_FALSE(waiting->has_place);
  EXPECT_FALSE(gate_.HasShareLeft(kAlice));
  EXPECT_TRUE(gate_.HasShareLeft(kBob));
  gate_.Leave(*beyond[0]);
  EXPECT_FALSE(waiting->has_place);
  gate_.Leave(*beyond[1]);
  EXPECT_TRUE(waiting->has_place);
}

TEST_F(ReadGateTest, NoneHasAPlaceInOneThatIsClosed) {
  gate_.Close({ErrorCode::kServiceCommunicationProblem, "stop"});

  EXPECT_FALSE(gate_.TryEnter(std::make_shared<FakeReader>(), kAlice, kHold));
}

TEST_F(ReadGateTest, ConnectionsTakeTurns) {
  const auto alice = Enter(kAlice);
  Enter(kAlice);
  const auto bob = Enter(kBob);
  Enter(kBob);
  const auto alice_next = Enter(kAlice);
  const auto alice_last = Enter(kAlice);
  const auto carol = Enter(kCarol);

  gate_.Leave(*alice);
  EXPECT_TRUE(alice_next->has_place);
  EXPECT_FALSE(carol->has_place);
  gate_.Leave(*alice_next);

  EXPECT_TRUE(carol->has_place);
  EXPECT_FALSE(alice_last->has_place);
  gate_.Leave(*bob);
  EXPECT_TRUE(alice_last->has_place);
}

TEST_F(ReadGateTest, OnlySoManyMayWait) {
  for (int i = 0; i < 10; ++i) Enter(kAlice);

  const auto last = Enter(kAlice);

  ASSERT_TRUE(last->refusal.has_value());
  EXPECT_EQ(last->refusal->code(), ErrorCode::kServiceBusy);
  EXPECT_EQ(last->refusal->outcome(), Outcome::kNotDone);
  EXPECT_FALSE(last->has_place);
}

TEST_F(ReadGateTest, AReaderThatWaitedTooLongIsRefused) {
  Enter(kAlice, kUnlimited);
  Enter(kAlice, kUnlimited);
  const auto early = Enter(kAlice);
  clock_.Advance(seconds(1));
  const auto late = Enter(kAlice);

  Wait(seconds(19));

  ASSERT_TRUE(early->refusal.has_value());
  EXPECT_EQ(early->refusal->code(), ErrorCode::kServiceBusy);
  EXPECT_FALSE(late->refusal.has_value());
  Wait(seconds(1));
  EXPECT_TRUE(late->refusal.has_value());
}

// A stream, which may have nothing to send: only flow control holds it back.
TEST_F(ReadGateTest, APatientReaderIsNeverRefusedAndHasItsTurn) {
  const auto reading = Enter(kAlice, kUnlimited);
  Enter(kAlice, kUnlimited);
  const auto stream = EnterPatient(kAlice);
  const auto call = Enter(kAlice);

  Wait(seconds(3600));

  EXPECT_TRUE(call->refusal.has_value());
  EXPECT_FALSE(stream->refusal.has_value());
  gate_.Leave(*reading);
  EXPECT_TRUE(stream->has_place);
}

TEST_F(ReadGateTest, PatientOnesTakeTheirTurnsAmongTheOthersOfTheirConnection) {
  const auto first = Enter(kAlice);
  const auto second = Enter(kAlice);
  const auto call = Enter(kAlice);
  clock_.Advance(seconds(1));
  const auto stream = EnterPatient(kAlice);
  clock_.Advance(seconds(1));
  const auto last = Enter(kAlice);

  gate_.Leave(*first);
  EXPECT_TRUE(call->has_place);
  EXPECT_FALSE(stream->has_place);
  gate_.Leave(*second);
  EXPECT_TRUE(stream->has_place);
  gate_.Leave(*call);
  EXPECT_TRUE(last->has_place);
}

TEST_F(ReadGateTest, ACallDoesNotWaitForAllStreamsThatCameBeforeIt) {
  const auto first = EnterPatient(kAlice);
  std::vector<std::shared_ptr<FakeReader>> streams;
  for (int i = 0; i < 100; ++i) streams.push_back(EnterPatient(kAlice));
  clock_.Advance(seconds(1));
  const auto call = Enter(kAlice);
  EXPECT_TRUE(call->has_place);
  const auto next_call = Enter(kAlice);
  const auto last_call = Enter(kAlice);

  gate_.Leave(*first);
  EXPECT_TRUE(next_call->has_place);
  gate_.Leave(*call);
  EXPECT_TRUE(streams[0]->has_place);
  EXPECT_FALSE(last_call->has_place);
  gate_.Leave(*next_call);
  EXPECT_TRUE(last_call->has_place);
  EXPECT_FALSE(streams[1]->has_place);
}

// Ten times as many connections as a broker has as a rule, each with a stream that is open and
// sends nothing: together they keep every place that they have for as long as there is a line.
TEST_F(ReadGateTest, IdleStreamsOfThousandsOfConnectionsKeepNoCallWaiting) {
  constexpr ReadGate::Connection kConnections = 10'000;
  std::vector<std::shared_ptr<FakeReader>> streams;
  for (ReadGate::Connection each = 100; each < 100 + kConnections; ++each) {
    streams.push_back(EnterPatient(each));
  }
  for (int round = 0; round < 100; ++round) {
    const auto call = Enter(100 + kConnections + round);
    EXPECT_TRUE(call->has_place) << round;
    const auto other = Enter(100 + round);
    EXPECT_TRUE(other->has_place) << round;
    gate_.Leave(*call);
    gate_.Leave(*other);
    Wait(kHold);
  }
  std::size_t placed = 0;
  for (const auto& stream : streams) placed += stream->has_place ? 1 : 0;
  EXPECT_EQ(placed, 202U);  // Two at a time.
}

TEST_F(ReadGateTest, StreamsHaveHalfOfThePlaces) {
  EXPECT_TRUE(EnterPatient(kAlice)->has_place);
  EXPECT_FALSE(EnterPatient(kAlice)->has_place);
  EXPECT_TRUE(EnterPatient(kBob)->has_place);
  EXPECT_FALSE(EnterPatient(kCarol)->has_place);
  EXPECT_TRUE(Enter(kCarol)->has_place);
}

// One that waits for a place of its own kind.
TEST_F(ReadGateTest, AnIdleStreamLosesItsPlaceToAnotherStream) {
  const auto first = EnterPatient(kAlice);
  EnterPatient(kBob);
  const auto waiting = EnterPatient(kCarol);

  Wait(kHold);

  EXPECT_TRUE(first->loss.has_value());
  EXPECT_TRUE(waiting->has_place);
}

// Streams that are open and idle take no room from calls.
TEST_F(ReadGateTest, PatientOnesDoNotCountAmongThoseThatMayWait) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(EnterPatient(kAlice)->refusal.has_value());

  EXPECT_TRUE(Enter(kAlice)->has_place);
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(Enter(kAlice)->refusal.has_value());
  EXPECT_TRUE(Enter(kAlice)->refusal.has_value());
  EXPECT_FALSE(EnterPatient(kAlice)->refusal.has_value());
}

TEST_F(ReadGateTest, AClosedGateRefusesPatientOnesToo) {
  Enter(kAlice, kUnlimited);
  Enter(kAlice, kUnlimited);
  const auto stream = EnterPatient(kAlice);

  gate_.Close({ErrorCode::kServiceCommunicationProblem, "the broker stops"});

  EXPECT_TRUE(stream->refusal.has_value());
  EXPECT_TRUE(EnterPatient(kBob)->refusal.has_value());
}

TEST_F(ReadGateTest, AReaderThatGivesUpIsCalledNoMore) {
  const auto first = Enter(kAlice);
  Enter(kAlice);
  const auto waiting = Enter(kAlice);

  EXPECT_TRUE(gate_.Leave(*waiting));
  gate_.Leave(*first);
  Wait(seconds(60));

  EXPECT_FALSE(waiting->has_place);
  EXPECT_FALSE(waiting->refusal.has_value());
  EXPECT_FALSE(gate_.Leave(*waiting));
}

TEST_F(ReadGateTest, ASlowReaderLosesItsPlaceToOneThatWaits) {
  const auto slow = Enter(kAlice);
  clock_.Advance(seconds(1));
  const auto other = Enter(kAlice);
  const auto waiting = Enter(kAlice);

  Wait(seconds(4));

  ASSERT_TRUE(slow->loss.has_value());
  EXPECT_EQ(slow->loss->code(), ErrorCode::kServiceBusy);
  EXPECT_TRUE(waiting->has_place);
  EXPECT_FALSE(other->loss.has_value());
}

TEST_F(ReadGateTest, ASlowReaderThatIsInTheWayGoesAtOnce) {
  const auto slow = Enter(kAlice);
  Enter(kAlice);
  clock_.Advance(kHold);

  EXPECT_TRUE(Enter(kAlice)->has_place);

  EXPECT_TRUE(slow->loss.has_value());
}

TEST_F(ReadGateTest, ASlowReaderIsSparedByItsOwnConnectionWhereThatIsWanted) {
  ReadGate gate(
      {.places = 4, .places_of_one = 2, .waiting = 8, .wait = seconds(20), .spares_own = true},
      clock_);
  const auto enter = [&](ReadGate::Connection connection) {
    auto reader = std::make_shared<FakeReader>();
    gate.Enter(reader, connection, kHold, ReadGate::Patience::kBounded);
    return reader;
  };
  const auto slow = enter(kAlice);
  enter(kAlice);
  const auto own = enter(kAlice);
  clock_.Advance(kHold);
  gate.Tick();
  EXPECT_FALSE(slow->loss.has_value());
  EXPECT_FALSE(own->has_place);

  enter(kBob);
  enter(kBob);
  EXPECT_FALSE(slow->loss.has_value());
  const auto other = enter(kCarol);

  // Alice's own was first, but the place was not taken from her for that.
  gate.Tick();
  EXPECT_TRUE(slow->loss.has_value());
  EXPECT_TRUE(other->has_place);
}

TEST_F(ReadGateTest, ASlowReaderKeepsAPlaceThatNobodyWants) {
  const auto slow = Enter(kAlice);
  Wait(seconds(600));
  EXPECT_FALSE(slow->loss.has_value());
}

// Alice has her share, and waits for her own readers alone.
TEST_F(ReadGateTest, ASlowReaderKeepsAPlaceThatOthersMayNotHave) {
  const auto slow = Enter(kBob);
  Enter(kAlice, kUnlimited);
  Enter(kAlice, kUnlimited);
  const auto waiting = Enter(kAlice);
  Enter(kCarol, kUnlimited);

  Wait(kHold);

  EXPECT_FALSE(slow->loss.has_value());
  EXPECT_FALSE(waiting->has_place);
}

TEST_F(ReadGateTest, AClosedGateLetsNobodyRead) {
  const Status reason(ErrorCode::kServiceCommunicationProblem, "it is over");
  const auto reading = Enter(kAlice);
  Enter(kAlice);
  const auto waiting = Enter(kAlice);

  gate_.Close(reason);

  EXPECT_EQ(reading->loss, reason);
  EXPECT_EQ(waiting->refusal, reason);
  EXPECT_EQ(Enter(kBob)->refusal, reason);
  EXPECT_FALSE(gate_.Leave(*reading));
  gate_.Open();
  EXPECT_TRUE(Enter(kAlice)->has_place);
}

// What nobody has left over is the state of a new gate: a place for each.
TEST_F(ReadGateTest, EveryPlaceIsGivenBack) {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::shared_ptr<FakeReader>> readers;
    for (const auto connection : {kAlice, kAlice, kBob, kAlice, kBob, kCarol}) {
      readers.push_back(Enter(connection));
    }
    for (const auto& reader : readers) gate_.Leave(*reader);
  }
  for (const auto connection : {kAlice, kAlice, kBob, kBob}) {
    EXPECT_TRUE(Enter(connection)->has_place);
  }
  EXPECT_FALSE(Enter(kCarol)->has_place);
}

}  // namespace
}  // namespace wharf
