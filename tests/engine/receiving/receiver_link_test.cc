#include "broker/engine/requests/receiver_link.h"

#include <gtest/gtest.h>

#include "broker/engine/delivery/receiver.h"
#include "storage/base/random.h"
#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

Credit Of(std::uint64_t messages, std::optional<std::uint64_t> bytes) { return {messages, bytes}; }

TEST(CreditChangeTest, ARevocationTakesFromWhatWasGrantedBefore) {
  CreditChange change;
  change.Grant(Of(10, 100));
  change.Revoke(Of(4, 30));

  EXPECT_EQ(change.granted().messages, 6U);
  EXPECT_EQ(change.granted().bytes, 70U);
  EXPECT_FALSE(change.revokes());
}

TEST(CreditChangeTest, WhatIsLeftOfItIsRevokedFirst) {
  CreditChange change;
  change.Grant(Of(2, 20));
  change.Revoke(Of(5, 50));
  change.Grant(Of(1, 10));

  EXPECT_EQ(change.revoked().messages, 3U);
  EXPECT_EQ(change.revoked().bytes, 30U);
  EXPECT_EQ(change.granted().messages, 1U);
  EXPECT_EQ(change.granted().bytes, 10U);
}

// What a receiver has left in credit.
Credit LeftOf(Receiver& receiver) { return receiver.TakeCredit(); }

// Said one by one, or added up: the receiver ends with the same credit.
TEST(CreditChangeTest, AddedUpItIsTheSameAsOneByOne) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SeededRandom random(seed);
    Receiver one_by_one(HolderId(1), HolderId(1), {}, nullptr);
    Receiver added_up(HolderId(1), HolderId(1), {}, nullptr);
    const Credit before = Of(random.Next() % 20, random.Next() % 200);
    one_by_one.Grant(before);
    added_up.Grant(before);

    CreditChange change;
    for (int i = 0; i < 12; ++i) {
      const bool is_unlimited = random.Next() % 20 == 0;
      const Credit credit =
          Of(random.Next() % 10,
             is_unlimited ? std::nullopt : std::optional<std::uint64_t>(random.Next() % 100));
      if (random.Next() % 2 == 0) {
        one_by_one.Grant(credit);
        change.Grant(credit);
      } else {
        one_by_one.Revoke(credit);
        change.Revoke(credit);
      }
    }
    added_up.Revoke(change.revoked());
    added_up.Grant(change.granted());

    const Credit expected = LeftOf(one_by_one);
    const Credit got = LeftOf(added_up);
    EXPECT_EQ(got.messages, expected.messages) << "seed " << seed;
    EXPECT_EQ(got.bytes, expected.bytes) << "seed " << seed;
  }
}

class ReceiverLinkTest : public ReceiverFixture {
 protected:
  std::shared_ptr<ReceiverHandle> AttachLater(const std::shared_ptr<RecordingSink>& sink) {
    return broker().requests().Attach({}, {{"orders"}}, sink, [](const Result<Attached>&) {});
  }
};

TEST_F(ReceiverLinkTest, WhatIsSaidBeforeItIsAttachedIsDoneThen) {
  Send(3);
  const auto sink = std::make_shared<RecordingSink>();

  const auto receiver = AttachLater(sink);
  receiver->Grant({2, std::nullopt});
  engine_.Run();

  EXPECT_EQ(sink->deliveries.size(), 2U);
}

TEST_F(ReceiverLinkTest, AMillionGrantsCostOneTurn) {
  Send(3);
  const auto sink = std::make_shared<RecordingSink>();
  const auto receiver = AttachLater(sink);
  engine_.Run();
  const std::int64_t before = engine_.shard().statistics().turns;

  for (int i = 0; i < 1'000'000; ++i) receiver->Grant({1, std::nullopt});
  engine_.Run();

  EXPECT_EQ(sink->deliveries.size(), 3U);
  EXPECT_LE(engine_.shard().statistics().turns - before, 8);
}

// The credit of before is thrown away, that of after is not.
TEST_F(ReceiverLinkTest, WhatIsGrantedBehindADrainStays) {
  const auto sink = std::make_shared<RecordingSink>();
  const auto receiver = AttachLater(sink);
  receiver->Grant({5, std::nullopt});
  receiver->Drain();
  engine_.Run();
  receiver->Grant({2, std::nullopt});
  engine_.Run();

  Send(3);
  EXPECT_EQ(sink->deliveries.size(), 2U);
}

// The door was not told of the end of the drain when it granted: it hears of all of it.
TEST_F(ReceiverLinkTest, WhatIsGrantedBesideADrainIsHandedBackWithTheRest) {
  const auto sink = std::make_shared<RecordingSink>();
  const auto receiver = AttachLater(sink);
  receiver->Grant({5, std::nullopt});
  receiver->Drain();
  receiver->Grant({2, std::nullopt});
  receiver->Drain();
  engine_.Run();
  Send(1);

  EXPECT_EQ(sink->events, std::vector<std::string>{"drained 7"});
}

TEST_F(ReceiverLinkTest, WhoIsDetachedAtOnceGetsNothing) {
  Send(1);
  const auto sink = std::make_shared<RecordingSink>();

  const auto receiver = AttachLater(sink);
  receiver->Grant({1, std::nullopt});
  receiver->Detach();
  engine_.Run();

  EXPECT_EQ(sink->deliveries.size(), 0U);
  EXPECT_EQ(engine_.GetQueue("orders")->main.fresh, 1);
}

TEST_F(ReceiverLinkTest, WhoWasRefusedIsNotHeard) {
  const auto sink = std::make_shared<RecordingSink>();
  const auto receiver =
      broker().requests().Attach({}, {{"nobody"}}, sink, [](const Result<Attached>&) {});
  receiver->Grant({1, std::nullopt});
  receiver->Drain();
  receiver->Stop();
  receiver->Detach();
  engine_.Run();

  EXPECT_TRUE(sink->events.empty());
}

}  // namespace
}  // namespace wharf
