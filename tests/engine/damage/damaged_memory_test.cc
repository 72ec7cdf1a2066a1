// A bit flips in a block that tells which message ids are known, which sessions have something to
// deliver, or what the state of a session is: whatever else is asked is answered.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/damage/damaged_fixture.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DamagedIdsTest : public DamagedFixture {
 protected:
  static constexpr std::uint64_t kIds = 3000;

  DamagedIdsTest() { Create({.name = "ids", .requires_duplicate_detection = true}); }

  static Message WithId(std::uint64_t number) {
    Message message;
    message.message_id = fmt::format("message-{:06}", number);
    return message;
  }
  static std::vector<Message> WithIds(std::uint64_t first, std::uint64_t end) {
    std::vector<Message> messages;
    for (std::uint64_t each = first; each < end; ++each) messages.push_back(WithId(each));
    return messages;
  }
  void SendAll() {
    for (std::uint64_t each = 0; each < kIds; each += 1000) {
      ASSERT_TRUE(engine().Send("ids", WithIds(each, each + 1000)).ok());
    }
  }

  // Sends all of them again: none is accepted twice. Which are refused.
  NumberSet Refused() {
    NumberSet refused;
    for (std::uint64_t each = 0; each < kIds; each += 1000) {
      const auto sent = engine().Send("ids", WithIds(each, each + 1000));
      EXPECT_TRUE(sent.ok()) << sent.status().ToString();
      for (std::uint64_t i = 0; sent.ok() && i < 1000; ++i) {
        const auto& one = (*sent)[i];
        if (one.ok()) {
          EXPECT_TRUE(one->is_duplicate) << each + i;
        } else {
          EXPECT_THAT(one.status().message(), HasSubstr("send the message with another one"));
          refused.insert(each + i);
        }
      }
    }
    return refused;
  }
};

// reliability 20
TEST_F(DamagedIdsTest, OnlyAMessageWhoseIdMayBeKnownIsRefused) {  // DUP-4
  SendAll();
  broker_.Damage("duplicates", 0.5);

  const NumberSet refused = Refused();

  EXPECT_THAT(refused, Not(IsEmpty()));
  EXPECT_LT(refused.size(), 1000U);
  EXPECT_EQ(Counters("ids").messages(), static_cast<std::int64_t>(kIds));
  Message other;
  other.message_id = "zzz";
  EXPECT_TRUE((*engine().Send("ids", {other}))[0].ok());
}

TEST_F(DamagedIdsTest, WhatIsDoneAsAWholeIsRefusedAsAWhole) {  // SND-5, TXN-11
  SendAll();
  broker_.Damage("duplicates", 0.5);
  const Message lost = WithId(*Refused().begin());
  Message other;
  other.message_id = "zzz";

  EXPECT_EQ(engine().Send("ids", {other, lost}, /*atomic=*/true).status().code(),
            ErrorCode::kGeneralError);
  const auto done = engine().RunTransaction(std::nullopt, {{"ids", SendMessages{{other}}},
                                                           {"orders", SendMessages{{Message()}}},
                                                           {"ids", SendMessages{{lost}}}});

  EXPECT_EQ(done.status().code(), ErrorCode::kGeneralError);
  EXPECT_EQ(Counters("ids").messages(), static_cast<std::int64_t>(kIds));
  EXPECT_EQ(Counters("orders").messages(), 0);
  EXPECT_FALSE((*engine().Send("ids", {other}))[0]->is_duplicate);
}

class DamagedSessionsTest : public DamagedFixture {
 protected:
  static constexpr std::uint64_t kSessions = 1500;

  DamagedSessionsTest() { Create({.name = "jobs", .requires_session = true}); }

  static std::string IdOf(std::uint64_t session) { return fmt::format("session-{:06}", session); }

  // One message in each.
  void SendToAll() {
    for (std::uint64_t first = 0; first < kSessions; first += 500) {
      std::vector<Message> messages(500);
      for (std::uint64_t i = 0; i < 500; ++i) messages[i].session_id = IdOf(first + i);
      ASSERT_TRUE(engine().Send("jobs", std::move(messages)).ok());
    }
  }
};

// reliability 20
TEST_F(DamagedSessionsTest, ALostOfferKeepsNoSessionWaiting) {  // SES-6
  SendToAll();
  broker_.Damage("sessions_ready", 0.5);

  std::set<std::string> accepted;
  while (accepted.size() < kSessions) {
    const auto session = engine().AcceptSession("jobs");
    ASSERT_TRUE(session.ok()) << session.status().ToString() << " after " << accepted.size();
    broker_.Settle();
    accepted.insert(session->id);
    const auto received =
        engine().Receive("jobs", 1, ReceiveMode::kReceiveAndDelete, session->token);
    ASSERT_TRUE(received.ok() && received->size() == 1);
    ASSERT_TRUE(engine().ReleaseSession("jobs", session->token).ok());
  }

  EXPECT_EQ(Counters("jobs").messages(), 0);
  EXPECT_EQ(engine().GetQueue("jobs")->fence, "");
}

class DamagedStatesTest : public DamagedSessionsTest {
 protected:
  static constexpr std::uint64_t kStates = 400;

  DamagedStatesTest() {
    for (std::uint64_t each = 0; each < kStates; ++each) {
      const auto session = engine().AcceptSession("jobs", IdOf(each));
      EXPECT_TRUE(engine().SetSessionState("jobs", session->token, Noise(each, 200)).ok());
      EXPECT_TRUE(engine().ReleaseSession("jobs", session->token).ok());
    }
    broker_.Damage("session_state", 0.5);
  }

  NumberSet Lost() {
    NumberSet lost;
    for (std::uint64_t each = 0; each < kStates; ++each) {
      const auto session = engine().AcceptSession("jobs", IdOf(each));
      EXPECT_TRUE(session.ok());
      const auto state = engine().GetSessionState("jobs", session->token);
      if (state.ok()) {
        EXPECT_EQ(*state, Noise(each, 200));
      } else {
        EXPECT_THAT(state.status().message(), HasSubstr(IdOf(each) + "' of 'jobs' cannot be read"));
        lost.insert(each);
      }
      EXPECT_TRUE(engine().ReleaseSession("jobs", session->token).ok());
    }
    return lost;
  }
};

// reliability 20
TEST_F(DamagedStatesTest, ALostStateIsNoOtherSessionsAndAnotherTakesItsPlace) {  // SST-1
  const NumberSet lost = Lost();
  ASSERT_THAT(lost, Not(IsEmpty()));
  ASSERT_LT(lost.size(), kStates / 2);

  for (const std::uint64_t each : lost) {
    const auto session = engine().AcceptSession("jobs", IdOf(each));
    ASSERT_TRUE(engine().SetSessionState("jobs", session->token, Noise(each, 200)).ok());
    ASSERT_TRUE(engine().ReleaseSession("jobs", session->token).ok());
  }

  EXPECT_THAT(Lost(), IsEmpty());
}

TEST_F(DamagedStatesTest, AListOfSessionsGoesOnBehindIt) {  // SLS-1
  std::size_t listed = 0;
  ListSessionsRequest request{.entity = {"jobs"}, .count_max = 100};
  for (;;) {
    const auto page = engine().ListSessions(request);
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    listed += page->sessions.size();
    if (!page->next_after) break;
    request.after = page->next_after;
  }

  EXPECT_GT(listed, kStates / 2);
  EXPECT_LT(listed, kStates);
}

}  // namespace
}  // namespace wharf
