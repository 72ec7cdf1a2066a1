// More is due than one step does: what a step left is done in the next, restart or not.

#include <gtest/gtest.h>

#include "tests/engine/receiver_fixture.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::minutes;

// Several steps.
constexpr std::size_t kMessages = 4000;

class DueTest : public ReceiverFixture {
 protected:
  void SendMany(const Message& message) {
    ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(kMessages, message)).ok());
  }
  // Time passes, and the broker is gone after the first step that made changes of this kind.
  template <typename Handled>
  void CrashInTheMidst() {
    engine_.clock().Advance(minutes(2));
    engine_.shard().OnAlarm();
    engine_.work().RunUntil([this] { return turns_.Count<Handled>() > 0; });
    ASSERT_LT(turns_.Count<Handled>(), kMessages);
    engine_.Restart();
  }
  LaneCounters Main() { return engine_.GetQueue("orders")->main; }
  void ExpectRightAccounts() {
    const QueueSnapshot queue = *engine_.GetQueue("orders");
    EXPECT_EQ(FindWrongCounters(engine_.store(), queue.record.id, LaneKind::kMain, queue.main), "");
    EXPECT_EQ(FindStrayRows(engine_.store(), queue), "");
  }
};

TEST_F(DueTest, ActivationGoesOnAfterARestart) {  // SCH-5
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  SendMany(later);

  CrashInTheMidst<MessageActivated>();

  EXPECT_EQ(Main().scheduled, 0);
  EXPECT_EQ(Main().messages(), static_cast<std::int64_t>(kMessages));
  ExpectRightAccounts();
}

TEST_F(DueTest, ExpiryGoesOnAfterARestart) {  // TTL-6
  Message brief = TenBytes();
  brief.time_to_live = minutes(1);
  SendMany(brief);

  CrashInTheMidst<MessageRemoved>();

  EXPECT_EQ(Main().messages(), 0);
  ExpectRightAccounts();
}

TEST_F(DueTest, DelaysEndAfterARestart) {  // RTY-1
  SendMany(TenBytes());
  TokenList tokens;
  const Result<std::vector<Delivered>> received = engine_.Receive("orders", kMessages);
  for (const Delivered& delivered : *received) {
    tokens.push_back(delivered.token);
  }
  ASSERT_EQ(tokens.size(), kMessages);
  Pending<SettleReceipt> settled;
  broker().Settle("orders", tokens, {.verb = SettleVerb::kAbandon, .delay = minutes(1)},
                  settled.answer());
  engine_.Run();
  ASSERT_EQ(Main().delayed, static_cast<std::int64_t>(kMessages));

  CrashInTheMidst<MessageDelayEnded>();

  EXPECT_EQ(Main().delayed, 0);
  EXPECT_EQ(Main().returned, static_cast<std::int64_t>(kMessages));
  ExpectRightAccounts();
}

}  // namespace
}  // namespace wharf
