// Who waits for a path of the Roster, however many they are.
#include "broker/doors/amqp/entities/jms/roster.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/engine_harness.h"

namespace wharf::amqp {
namespace {

class RosterTest : public ::testing::Test {
 protected:
  Roster::TurnPtr Enter(Roster& roster, Roster::Entered then) {
    return roster.Enter(requests(), nullptr, "t/Subscriptions/s", Roster::Use::kAlone,
                        std::move(then));
  }
  Roster::PlacePtr TryEnter(Roster& roster) {
    return roster.TryEnter(requests(), nullptr, "t/Subscriptions/s");
  }
  Requests& requests() { return broker_.broker().requests(); }

  EngineHarness broker_;
};

// As they do whose connections are gone: what is posted to those is dropped at once.
TEST_F(RosterTest, AHundredThousandMayLeaveAsTheyAreLetIn) {
  constexpr std::size_t kMany = 100'000;
  const auto roster = std::make_shared<Roster>(kMany);
  Roster::PlacePtr first = TryEnter(*roster);
  std::size_t let_in = 0;
  std::vector<Roster::TurnPtr> turns;
  for (std::size_t i = 0; i < kMany; ++i) {
    turns.push_back(Enter(*roster, [&](const auto& place) { let_in += place.ok() ? 1 : 0; }));
  }

  first.reset();

  EXPECT_EQ(let_in, kMany);
  EXPECT_NE(TryEnter(*roster), nullptr);
}

TEST_F(RosterTest, WhoGivesUpItsTurnIsLetGoOfAndToldNothing) {
  const auto roster = std::make_shared<Roster>();
  Roster::PlacePtr first = TryEnter(*roster);
  const auto held = std::make_shared<int>();
  bool is_told = false;
  Roster::TurnPtr turn = Enter(*roster, [&is_told, held](const auto&) { is_told = true; });

  turn.reset();

  EXPECT_EQ(held.use_count(), 1);
  first.reset();
  EXPECT_FALSE(is_told);
  EXPECT_NE(TryEnter(*roster), nullptr);
}

TEST_F(RosterTest, MoreThanMayWaitAreRefusedAtOnce) {
  const auto roster = std::make_shared<Roster>(2);
  const Roster::PlacePtr first = TryEnter(*roster);
  std::vector<Status> told;
  std::vector<Roster::TurnPtr> turns;

  for (int i = 0; i < 3; ++i) {
    turns.push_back(Enter(*roster, [&](const auto& place) { told.push_back(place.status()); }));
  }

  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].code(), ErrorCode::kQuotaExceeded);
}

}  // namespace
}  // namespace wharf::amqp
