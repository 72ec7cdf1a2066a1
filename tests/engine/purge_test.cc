// A purge takes what was there at one instant, and nothing else, whenever its rows are reclaimed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using ::testing::SizeIs;

class PurgeTest : public ReceiverFixture {
 protected:
  Message Later() {
    Message message = TenBytes();
    message.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
    return message;
  }
  LaneCounters Main() { return engine_.GetQueue("orders")->main; }
  void ExpectRightAccounts() {
    const QueueSnapshot queue = *engine_.GetQueue("orders");
    EXPECT_EQ(FindWrongCounters(engine_.store(), queue.record.id, LaneKind::kMain, queue.main), "");
    EXPECT_EQ(FindStrayRows(engine_.store(), queue), "");
  }
};

TEST_F(PurgeTest, WhatIsScheduledRightBehindItStays) {  // PRG-1
  ASSERT_TRUE(engine_.Send("orders", {Later(), Later()}).ok());
  Pending<std::int64_t> purged;
  Pending<SendReceipt> sent;

  broker().Purge("orders", /*with_scheduled=*/true, purged.answer());
  broker().Send("orders", {Later()}, false, sent.answer());
  engine_.Run();

  EXPECT_EQ(**purged.result, 2);
  ASSERT_TRUE((**sent.result)[0].ok());
  EXPECT_EQ(Main().scheduled, 1);
  ExpectRightAccounts();
  engine_.Advance(minutes(1));
  EXPECT_THAT(*engine_.Receive("orders", 3), SizeIs(1));
}

// More than one step reclaims, so that rows are left when their time comes.
TEST_F(PurgeTest, WhatWasScheduledNeverComes) {  // PRG-1
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(4000, Later())).ok());
  Pending<std::int64_t> purged;
  broker().Purge("orders", /*with_scheduled=*/true, purged.answer());
  engine_.work().RunUntil([this] { return turns_.Count<ScheduledPurged>() == 1; });

  engine_.Advance(minutes(2));

  EXPECT_EQ(**purged.result, 4000);
  EXPECT_EQ(turns_.Count<MessageActivated>(), 0U);
  EXPECT_EQ(Main().scheduled, 0);
  EXPECT_EQ(Main().messages(), 0);
  ExpectRightAccounts();
}

TEST_F(PurgeTest, NorDoesItComeAfterARestart) {  // PRG-1
  ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(4000, Later())).ok());
  Pending<std::int64_t> purged;
  broker().Purge("orders", /*with_scheduled=*/true, purged.answer());
  engine_.work().RunUntil([&purged] { return purged.result.has_value(); });
  engine_.clock().Advance(minutes(2));

  engine_.Restart();

  EXPECT_EQ(turns_.Count<MessageActivated>(), 0U);
  EXPECT_EQ(Main().scheduled, 0);
  EXPECT_EQ(Main().messages(), 0);
  ExpectRightAccounts();
}

}  // namespace
}  // namespace wharf
