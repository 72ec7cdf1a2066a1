// The whole broker on a disk that loses power.
//
// Clients do whatever can be done with a queue, a few things at a time, until the power fails in
// the middle of some change of the disk; then the broker starts again on what the disk has kept.
// Nothing acknowledged may be lost or undone, nothing that was done with may come again, no lock
// may be given twice, an atomic send is there as a whole or not at all, jobs go on, ids are
// remembered, and the counters are those of a recount. Every failure names the seed that repeats
// it:
//
//   power_test --gtest_filter='EnginePowerTest*'         a few cuts
//   WHARF_ROUNDS=200 WHARF_SEED=7000 power_test ...      two hundred, from that seed on

#include <gtest/gtest.h>

#include "tests/power/forward_power_clients.h"
#include "tests/power/power_clients.h"
#include "tests/power/power_story.h"
#include "tests/power/session_power_clients.h"
#include "tests/power/topic_power_clients.h"
#include "tests/power/transaction_power_clients.h"

namespace wharf {
namespace {

// SND-1, SND-5, LCK-11, DLQ-7, RTP-11, SCH-3..7, SCX-1, TTL-6..8, TTL-14, DEF-1..5, DFX-1, RTY-2,
// RTY-3, ONE-1, BDL-1, PRG-1, PRG-2, RDR-1, JOB-1, DUP-5, DUP-6; reliability 8 to 11, 13, 47, 49 to
// 51.
TEST(EnginePowerTest, NothingAcknowledgedIsLostAndNothingIsDoneTwice) {
  const std::uint64_t dropped_messages = CutManyTimes<PowerClients>();

  // Or nothing was tried of what compactions drop.
  EXPECT_GT(dropped_messages, 0U);
}

// SES-6, SES-8..11, SES-24, CNT-8, CNT-9, SST-3; reliability 8 to 11, 13, 48, 51.
TEST(SessionPowerTest, SessionsStayWithTheirHoldersInOrderAndWithTheirStates) {
  CutManyTimes<SessionPowerClients>();
}

// TOP-6, TOP-8, RUL-4, RUL-5, SCH-11; reliability 45.
TEST(TopicPowerTest, AMessageReachesAllItsSubscriptionsOrNone) {
  CutManyTimes<TopicPowerClients>();
}
// FWD-1, FWD-11, FWD-15, DUP-9; reliability 8 to 11, 13, 47.
TEST(ForwardPowerTest, AMessageOnItsWayIsInOnePlace) { CutManyTimes<ForwardPowerClients>(); }

// TXN-11, TXX-1; reliability 45, 47.
TEST(TransactionPowerTest, AMessageIsInOneQueueAndTheOutcomeIsTrue) {
  CutManyTimes<TransactionPowerClients>();
}

}  // namespace
}  // namespace wharf
