// The judge of the routes run: every promise that a broker might break is broken here by hand.

#include "tools/crash/routes/route_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

using testing::IsEmpty;

constexpr MessageId kOne = {1, 1};
constexpr MessageId kTwo = {1, 2};
constexpr BodyDigest kBody = {.size = 10, .checksum = 7};

const Route kToFirst = {{Place::kFirst}, Place::kFirst};
const Route kToSecond = {{Place::kSecond}, Place::kSecond};
const Route kForwarded = {{Place::kRelay, Place::kEnd}, Place::kEnd};
const Route kMoved = {{Place::kFrom, Place::kTo}, Place::kFrom};

class RouteLedgerTest : public testing::Test {
 protected:
  RouteLedger::SendingIndex Send(const std::vector<Route>& routes, Fate fate) {
    return Send(std::vector<MessageId>{kOne}, routes, fate);
  }
  RouteLedger::SendingIndex Send(const std::vector<MessageId>& ids,
                                 const std::vector<Route>& routes, Fate fate) {
    std::vector<RoutedMessage> messages;
    messages.reserve(ids.size());
    for (const MessageId& id : ids) messages.push_back({id, kBody, routes});
    const auto sending = ledger_.NoteSending(messages);
    ledger_.NoteSent(sending, fate);
    return sending;
  }

  static Inventory In(const std::vector<Place>& places, const MessageId& id = kOne) {
    Inventory inventory;
    for (const Place place : places) inventory[place].push_back({id, kBody});
    return inventory;
  }

  // What a look at rest breaks.
  std::vector<Rule> Look(const Inventory& inventory) {
    ledger_.CheckAtRest(inventory);
    return Broken();
  }
  std::vector<Rule> Broken() {
    std::vector<Rule> rules;
    for (const Violation& violation : ledger_.TakeViolations()) rules.push_back(violation.rule);
    return rules;
  }

  RouteLedger ledger_;
};

std::vector<Rule> Only(Rule rule) { return {rule}; }

TEST_F(RouteLedgerTest, WhatWasAcknowledgedIsThereOnceOnEveryRoute) {
  Send({kToFirst, kToSecond, kForwarded}, Fate::kDone);

  EXPECT_THAT(Look(In({Place::kFirst, Place::kSecond, Place::kEnd})), IsEmpty());
}

TEST_F(RouteLedgerTest, AnAcknowledgedCopyThatIsMissingIsLost) {
  Send({kToFirst, kToSecond}, Fate::kDone);

  EXPECT_EQ(Look(In({Place::kFirst})), Only(Rule::kNothingLost));
}

TEST_F(RouteLedgerTest, WhatHadNoAnswerIsThereOrNot) {
  Send({kMoved}, Fate::kUnknown);
  Send({kTwo}, {kMoved}, Fate::kUnknown);

  EXPECT_THAT(Look(In({Place::kFrom}, kTwo)), IsEmpty());
  EXPECT_EQ(ledger_.totals().unknown_stored, 1U);
}

TEST_F(RouteLedgerTest, WhatHadNoAnswerIsNotThereInPart) {
  Send({kToFirst, kToSecond, kForwarded}, Fate::kUnknown);

  EXPECT_EQ(Look(In({Place::kFirst, Place::kSecond})), Only(Rule::kAllOrNone));
}

TEST_F(RouteLedgerTest, AnAtomicBatchIsNotThereInPart) {
  Send({kOne, kTwo}, {kToFirst}, Fate::kUnknown);

  EXPECT_EQ(Look(In({Place::kFirst}, kTwo)), Only(Rule::kAllOrNone));
}

TEST_F(RouteLedgerTest, TheFirstLookDecidesForGood) {
  Send({kToFirst}, Fate::kUnknown);
  Send({kTwo}, {kToFirst}, Fate::kUnknown);
  EXPECT_THAT(Look(In({Place::kFirst}, kTwo)), IsEmpty());

  EXPECT_EQ(Look(In({Place::kFirst})), (std::vector{Rule::kNoGhost, Rule::kNothingLost}));
}

TEST_F(RouteLedgerTest, WhatWasRefusedIsNotThere) {
  Send({kToFirst}, Fate::kNotDone);

  EXPECT_EQ(Look(In({Place::kFirst})), Only(Rule::kNoGhost));
}

TEST_F(RouteLedgerTest, NothingLiesWhereNobodySentIt) {
  Send({kToFirst}, Fate::kDone);

  EXPECT_EQ(Look(In({Place::kFirst, Place::kRed})), Only(Rule::kNoGhost));
}

TEST_F(RouteLedgerTest, ABodyIsTheSameInEveryCopy) {
  Send({kToFirst, kToSecond}, Fate::kDone);
  Inventory inventory = In({Place::kFirst});
  inventory[Place::kSecond].push_back({kOne, {.size = 10, .checksum = 8}});

  EXPECT_EQ(Look(inventory), (std::vector{Rule::kNoGhost, Rule::kNothingLost}));
}

// Reliability 47.
TEST_F(RouteLedgerTest, AForwardedMessageIsNotInTwoPlaces) {
  Send({kForwarded}, Fate::kDone);

  ledger_.CheckUnderWay(In({Place::kRelay, Place::kEnd}));

  EXPECT_EQ(Broken(), Only(Rule::kOnePlace));
}

TEST_F(RouteLedgerTest, AMessageMayStillBeOnItsWay) {
  Send({kForwarded}, Fate::kDone);
  Send({kTwo}, {kForwarded}, Fate::kUnknown);

  ledger_.CheckUnderWay(In({Place::kRelay}));

  EXPECT_THAT(Broken(), IsEmpty());
}

TEST_F(RouteLedgerTest, AForwardedMessageArrivesOnce) {
  Send({kForwarded}, Fate::kDone);

  EXPECT_EQ(Look(In({Place::kEnd, Place::kEnd})), Only(Rule::kOnePlace));
}

// Reliability 45.
TEST_F(RouteLedgerTest, AMovedMessageIsWhereItWasMovedTo) {
  Send({kMoved}, Fate::kDone);
  ledger_.NoteMoved(kOne);

  EXPECT_THAT(Look(In({Place::kTo})), IsEmpty());
  EXPECT_EQ(Look(In({Place::kFrom})), Only(Rule::kAllOrNone));
  EXPECT_EQ(Look(In({Place::kFrom, Place::kTo})), Only(Rule::kOnePlace));
}

TEST_F(RouteLedgerTest, WithoutACommitAMessageStays) {
  Send({kMoved}, Fate::kDone);

  EXPECT_THAT(Look(In({Place::kFrom})), IsEmpty());
  EXPECT_EQ(Look(In({Place::kTo})), Only(Rule::kAllOrNone));
}

TEST_F(RouteLedgerTest, AMovedMessageIsNotDeliveredWhereItWas) {
  Send({kMoved}, Fate::kDone);
  ledger_.NoteMoved(kOne);

  ledger_.NoteDelivered(Place::kFrom, {kOne, kBody});

  EXPECT_EQ(Broken(), Only(Rule::kNoResurrection));
}

TEST_F(RouteLedgerTest, ACompletedCopyIsGoneAndTheOthersStay) {
  Send({kToFirst, kToSecond}, Fate::kDone);
  ledger_.NoteDelivered(Place::kFirst, {kOne, kBody});
  ledger_.NoteCompleting(Place::kFirst, kOne);
  ledger_.NoteCompleted(Place::kFirst, kOne, Fate::kDone);

  EXPECT_THAT(Look(In({Place::kSecond})), IsEmpty());
  EXPECT_EQ(Look(In({Place::kFirst, Place::kSecond})), Only(Rule::kNoResurrection));
}

TEST_F(RouteLedgerTest, ACompleteWithoutAnAnswerIsDecidedByTheFirstLook) {
  Send({kToFirst}, Fate::kDone);
  ledger_.NoteDelivered(Place::kFirst, {kOne, kBody});
  ledger_.NoteCompleting(Place::kFirst, kOne);
  ledger_.NoteCompleted(Place::kFirst, kOne, Fate::kUnknown);
  EXPECT_THAT(Look({}), IsEmpty());

  ledger_.NoteDelivered(Place::kFirst, {kOne, kBody});

  EXPECT_EQ(Broken(), Only(Rule::kNoResurrection));
}

TEST_F(RouteLedgerTest, WhatWasDeliveredIsStoredWithoutAnAnswer) {
  Send({kToFirst, kToSecond}, Fate::kUnknown);
  ledger_.NoteDelivered(Place::kFirst, {kOne, kBody});

  EXPECT_EQ(Look({}), (std::vector{Rule::kNothingLost, Rule::kNothingLost}));
}

TEST_F(RouteLedgerTest, WhatIsThereWasNotRefused) {
  const auto sending = Send({kToFirst}, Fate::kUnknown);
  ledger_.NoteDelivered(Place::kFirst, {kOne, kBody});

  ledger_.NoteSent(sending, Fate::kNotDone);

  EXPECT_EQ(Broken(), Only(Rule::kAnswersHold));
}

TEST_F(RouteLedgerTest, AfterAPurgeNothingIsLeft) {
  Send({kToFirst, kToSecond}, Fate::kDone);
  ledger_.NoteEmptied(Place::kFirst);

  EXPECT_THAT(Look(In({Place::kSecond})), IsEmpty());
  EXPECT_EQ(Look(In({Place::kFirst, Place::kSecond})), Only(Rule::kNoResurrection));
}

}  // namespace
}  // namespace wharf::crash
