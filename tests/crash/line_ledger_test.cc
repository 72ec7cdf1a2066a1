#include "tools/crash/history/line_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

using testing::ElementsAre;

v1::ReceivedMessage Received(const LineLedger& ledger, std::size_t line, std::int64_t number) {
  v1::ReceivedMessage received;
  *received.mutable_message() = ledger.MakeMessage(line);
  received.set_sequence_number(number);
  return received;
}

TEST(LineLedgerTest, ALineIsSentAgainUntilItIsAcknowledged) {
  LineLedger ledger({"a", "b", "c"});
  ledger.NoteAcknowledged(1);

  EXPECT_THAT(ledger.Unacknowledged(), ElementsAre(0, 2));
}

TEST(LineLedgerTest, AnAcknowledgedLineThatNeverCameIsLost) {
  LineLedger ledger({"a", "b"});
  ledger.NoteAcknowledged(0);
  ledger.NoteAcknowledged(1);
  ledger.NoteReceived(Received(ledger, 0, 1));

  EXPECT_EQ(ledger.totals().lost, 1U);
  EXPECT_FALSE(ledger.totals().is_good());
}

TEST(LineLedgerTest, ALineThatComesTwiceIsADuplicateAndNoFault) {
  LineLedger ledger({"a"});
  ledger.NoteAcknowledged(0);
  ledger.NoteReceived(Received(ledger, 0, 1));
  ledger.NoteReceived(Received(ledger, 0, 2));

  EXPECT_EQ(ledger.totals().duplicates, 1U);
  EXPECT_TRUE(ledger.totals().is_good());
}

TEST(LineLedgerTest, AMessageThatComesAfterItsCompleteIsAFault) {
  LineLedger ledger({"a"});
  ledger.NoteReceived(Received(ledger, 0, 1));
  ledger.NoteCompleted(1);
  ledger.NoteReceived(Received(ledger, 0, 1));

  EXPECT_EQ(ledger.totals().came_back, 1U);
  EXPECT_FALSE(ledger.totals().is_good());
}

TEST(LineLedgerTest, ALineThatChangedOrThatNobodySentIsAFault) {
  LineLedger ledger({"a"});
  v1::ReceivedMessage changed = Received(ledger, 0, 1);
  changed.mutable_message()->set_body("b");
  v1::ReceivedMessage unknown = Received(ledger, 0, 2);
  unknown.mutable_message()->set_message_id("2");

  ledger.NoteReceived(changed);
  ledger.NoteReceived(unknown);

  EXPECT_EQ(ledger.totals().damaged, 2U);
}

}  // namespace
}  // namespace wharf::crash
