// What comes at one go is asked of the broker at one go, and each message hears of itself alone.
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/message/batch.h"
#include "tests/amqp/entities/links_fixture.h"

namespace wharf::amqp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class AtOneGoTest : public LinksFixture {
 protected:
  // What is said meanwhile.
  template <typename Saying>
  void AtOneGo(Saying say) {
    client_.HearAll();
    together_.emplace();
    say();
    served_->Feed(*std::exchange(together_, std::nullopt), now_);
  }
  std::vector<std::string> Bodies() {
    std::vector<std::string> bodies;
    for (const wharf::Delivered& delivered : Receive()) {
      bodies.push_back(EncodedOf(delivered).substr(EncodedOf(delivered).size() - 3));
    }
    return bodies;
  }
  // Locked by the link `r`, numbered from 0 on; the first one's lock is over `sooner`.
  void LockThree(Duration sooner = {}) {
    for (const char* const body : {"a01", "b02", "c03"}) {
      ASSERT_TRUE(broker_.Send("q", body).ok());
    }
    AttachReceiver();
    client_.SayFlow(1, 1);
    client_.Hear("delivery-id=0");
    broker_.Advance(sooner);
    client_.SayFlow(1, 3);
    client_.Hear("delivery-id=2");
  }
  void SayDisposed(std::uint32_t delivery, DeliveryState state, bool is_settled = false) {
    Disposition disposition;
    disposition.role = Role::kReceiver;
    disposition.first = delivery;
    disposition.settled = is_settled;
    disposition.state = std::move(state);
    client_.Say(disposition);
  }
  std::string HeardAll() { return absl::StrJoin(client_.HearAll(), "\n"); }
};

// SND-3
TEST_F(AtOneGoTest, EachMessageHasItsPlaceAndItsOutcome) {
  AttachSender();
  AtOneGo([&] {
    client_.SayTransfer(0, DataMessage("one"));
    client_.SayTransfer(0, DataMessage("two", std::string(129, 'x')));
    client_.SayTransfer(0, "no message");
    client_.SayTransfer(0, DataMessage("sea"), 0, std::nullopt, /*is_settled=*/true);
    client_.SayTransfer(0, DataMessage("for"));
  });

  const std::string heard = HeardAll();
  EXPECT_THAT(heard, HasSubstr("first=0, settled=true, state=accepted"));
  EXPECT_THAT(heard, HasSubstr("first=1, settled=true, state=rejected"));
  EXPECT_THAT(heard, HasSubstr("first=2, settled=true, state=rejected"));
  EXPECT_THAT(heard, HasSubstr("first=4, settled=true, state=accepted"));
  EXPECT_THAT(heard, Not(HasSubstr("first=3")));
  EXPECT_THAT(Bodies(), ElementsAre("one", "sea", "for"));
}

TEST_F(AtOneGoTest, WhatWasSentBeforeABatchComesBeforeIt) {
  AttachSender();
  std::string batch;
  Writer writer(batch);
  writer.BeginDescribed(descriptor::kData);
  writer.WriteBinary(DataMessage("two"));
  AtOneGo([&] {
    client_.SayTransfer(0, DataMessage("one"));
    client_.SayTransfer(0, batch, kBatchFormat);
    client_.SayTransfer(0, DataMessage("end"));
  });
  HeardAll();
  EXPECT_THAT(Bodies(), ElementsAre("one", "two", "end"));
}

TEST_F(AtOneGoTest, MoreThanIsKeptGoesMeanwhile) {
  AttachSender();
  AtOneGo([&] {
    for (int i = 0; i < 600; ++i) client_.SayTransfer(0, DataMessage("one"));
  });
  EXPECT_GE(served_->unanswered_bytes().taken(), 600U * 512);
  HeardAll();
  EXPECT_EQ(served_->unanswered_bytes().taken(), 0U);
  EXPECT_THAT(*broker_.Receive("q", 1000), SizeIs(600));
}

TEST_F(AtOneGoTest, WhatWasSentBeforeADetachIsThere) {
  AttachSender();
  AtOneGo([&] {
    client_.SayTransfer(0, DataMessage("one"));
    client_.SayDetach(0);
  });
  HeardAll();
  EXPECT_THAT(Bodies(), ElementsAre("one"));
}

TEST_F(AtOneGoTest, WhereDuplicatesAreLookedForEachIsSentByItself) {
  QueueDescription queue;
  queue.name = "once";
  queue.requires_duplicate_detection = true;
  ASSERT_TRUE(broker_.CreateQueue(queue).ok());
  AttachSender("once");
  AtOneGo([&] {
    for (const char* const body : {"one", "two"}) client_.SayTransfer(0, DataMessage(body, "same"));
  });
  EXPECT_THAT(HeardAll(), Not(HasSubstr("rejected")));
  EXPECT_THAT(Receive("once"), SizeIs(1));
}

TEST_F(AtOneGoTest, EachSettlementHearsOfItsOwnLock) {
  LockThree(std::chrono::seconds(20));
  broker_.Advance(std::chrono::seconds(15));
  AtOneGo([&] {
    for (std::uint32_t delivery = 0; delivery < 3; ++delivery) SayDisposed(delivery, Accepted());
  });
  const std::string heard = HeardAll();
  EXPECT_THAT(heard, HasSubstr("message-lock-lost"));
  EXPECT_THAT(heard, HasSubstr("state=accepted"));
  EXPECT_THAT(Bodies(), ElementsAre("a01"));
}

TEST_F(AtOneGoTest, ARangeBehindOneIsNoMoreThanARequestHolds) {
  constexpr std::uint32_t kRange = 4500;
  for (std::uint32_t sent = 0; sent <= kRange; sent += 1500) {
    ASSERT_TRUE(broker_.Send("q", std::vector<Message>(1501)).ok());
  }
  AttachReceiver();
  client_.SayFlow(1, kRange + 2);
  client_.Hear(fmt::format("delivery-id={},", kRange + 1));
  AtOneGo([&] {
    SayDisposed(0, Accepted());
    Disposition range;
    range.role = Role::kReceiver;
    range.first = 2;
    range.last = kRange + 1;
    range.state = Accepted();
    client_.Say(range);
  });
  EXPECT_THAT(HeardAll(), AllOf(HasSubstr("accepted"), Not(HasSubstr("rejected"))));
}

TEST_F(AtOneGoTest, WhatIsSettledAlreadyIsNotAnswered) {
  LockThree();
  AtOneGo([&] {
    SayDisposed(0, Accepted());
    SayDisposed(1, Accepted(), /*is_settled=*/true);
    SayDisposed(2, Released());
  });
  const std::string heard = HeardAll();
  EXPECT_THAT(heard, AllOf(HasSubstr("first=0, settled=true, state=accepted"),
                           HasSubstr("first=2, settled=true, state=released")));
  EXPECT_THAT(heard, Not(HasSubstr("first=1")));
  EXPECT_THAT(Bodies(), ElementsAre("c03"));
}

TEST_F(AtOneGoTest, WhatWasCompletedBeforeADetachIsGone) {
  LockThree();
  AtOneGo([&] {
    for (std::uint32_t delivery = 0; delivery < 3; ++delivery) {
      SayDisposed(delivery, Accepted(), /*is_settled=*/true);
    }
    client_.SayDetach(1);
  });
  HeardAll();
  broker_.Advance(std::chrono::seconds(60));
  EXPECT_THAT(Receive(), IsEmpty());
}

}  // namespace
}  // namespace wharf::amqp
