#include "broker/core/order/session_offers.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr SequenceNumber kEnd{std::numeric_limits<std::uint64_t>::max()};

OfferPlace At(std::uint64_t number, std::string session = "a") {
  return {SequenceNumber(number), std::move(session)};
}

// Offers of which some are in a store.
class SessionOffersTest : public ::testing::Test {
 protected:
  void Begin() { from_ = offers_.NextRead()->from; }
  void End(std::vector<OfferPlace> offers, OfferPlace covered = {kEnd, ""}) {
    offers_.Take({from_, std::move(covered), std::move(offers)});
  }
  std::vector<OfferPlace> All() const { return {offers_.offers().begin(), offers_.offers().end()}; }

  SessionOffers offers_{4};
  OfferPlace from_;
};

using Places = std::vector<OfferPlace>;

TEST_F(SessionOffersTest, NothingIsKnownBeforeItWasRead) {
  EXPECT_FALSE(offers_.is_exhausted());
  Begin();
  EXPECT_FALSE(offers_.NextRead());

  End({});

  EXPECT_TRUE(offers_.is_exhausted());
  EXPECT_FALSE(offers_.NextRead());
}

// SES-6
TEST_F(SessionOffersTest, TheyStandInTheOrderOfNumbersThenOfIds) {
  Begin();
  End({At(3, "b")});
  offers_.Add(At(3, "a"));
  offers_.Add(At(2, "c"));

  EXPECT_EQ(All(), (Places{At(2, "c"), At(3, "a"), At(3, "b")}));
}

TEST_F(SessionOffersTest, WhatIsMadeWhileAReadIsUnderWayIsAddedToIt) {
  Begin();
  offers_.Add(At(5));

  End({At(3)});

  EXPECT_EQ(All(), (Places{At(3), At(5)}));
}

TEST_F(SessionOffersTest, WhatIsWithdrawnWhileAReadIsUnderWayIsNotTakenFromIt) {
  Begin();
  offers_.Remove(At(3));

  End({At(3), At(5)});

  EXPECT_EQ(All(), (Places{At(5)}));
}

TEST_F(SessionOffersTest, WhatIsWithdrawnAndMadeAgainMeanwhileStands) {
  Begin();
  offers_.Remove(At(3));
  offers_.Add(At(3));

  End({At(3)});

  EXPECT_EQ(All(), (Places{At(3)}));
}

TEST_F(SessionOffersTest, WhatIsMadeAndWithdrawnMeanwhileIsGone) {
  Begin();
  offers_.Add(At(5));
  offers_.Remove(At(5));

  End({At(3), At(5)});

  EXPECT_EQ(All(), (Places{At(3)}));
}

TEST_F(SessionOffersTest, AReadOfAPurgedLaneIsThrownAway) {
  Begin();
  offers_.RemoveAll();
  offers_.Add(At(9));

  End({At(3)});

  EXPECT_EQ(All(), (Places{At(9)}));
}

TEST_F(SessionOffersTest, BeyondTheBoundTheLastIsForgottenAndReadAgain) {
  Begin();
  End({At(1), At(2), At(3), At(9)});

  offers_.Add(At(4));

  EXPECT_EQ(All(), (Places{At(1), At(2), At(3), At(4)}));
  for (const std::uint64_t number : {1, 2, 3, 4}) offers_.Remove(At(number));
  EXPECT_FALSE(offers_.is_exhausted());
  Begin();
  EXPECT_EQ(from_, At(9));
  End({At(9)});
  EXPECT_EQ(All(), (Places{At(9)}));
}

TEST_F(SessionOffersTest, AReadIsThrownAwayIfSomethingBeforeItWasForgotten) {
  Begin();
  End({At(2), At(8)}, At(20));
  Begin();
  for (const std::uint64_t number : {3, 4, 5}) offers_.Add(At(number));

  End({At(20)});

  EXPECT_EQ(All(), (Places{At(2), At(3), At(4), At(5)}));
  EXPECT_FALSE(offers_.is_exhausted());
}

TEST_F(SessionOffersTest, OneThatComesBehindWhatWasReadWaitsInTheStore) {
  Begin();
  End({At(2)}, At(3));

  offers_.Add(At(7));

  EXPECT_EQ(All(), (Places{At(2)}));
}

}  // namespace
}  // namespace wharf
