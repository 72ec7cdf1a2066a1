#include "tools/client/session_option.h"

#include <gtest/gtest.h>

namespace wharf::client {
namespace {

v1::ReceiveStart StartWith(const SessionOption& option) {
  v1::ReceiveStart start;
  Apply(option, start);
  return start;
}

TEST(SessionOptionTest, WithoutASessionNothingIsSaid) {
  EXPECT_EQ(StartWith({}).session_case(), v1::ReceiveStart::SESSION_NOT_SET);
}

TEST(SessionOptionTest, OneSession) {  // SES-4, SES-5, SES-24
  EXPECT_EQ(StartWith(NamedSession{"red"}).session_id(), "red");
  EXPECT_TRUE(StartWith(NamedSession{""}).has_session_id());
  EXPECT_EQ(StartWith(HeldSession{"token"}).session_lock_token(), "token");

  const v1::ReceiveStart next = StartWith(NextSession{std::chrono::milliseconds(1500)});
  EXPECT_EQ(next.next_session().max_wait().seconds(), 1);
  EXPECT_EQ(next.next_session().max_wait().nanos(), 500'000'000);
}

TEST(SessionOptionTest, TheNextSessionIsWaitedForAsLongAsABrokerAllows) {
  EXPECT_EQ(StartWith(NextSession{kUnlimited}).next_session().max_wait().seconds(), 300);
}

TEST(SessionOptionTest, SeveralSessionsAtATime) {
  const v1::ReceiveStart start = StartWith(ManySessions{
      .concurrent_max = 100, .messages_per_turn = 7, .idle_timeout = std::chrono::seconds(3)});

  EXPECT_EQ(start.many_sessions().max_concurrent_sessions(), 100U);
  EXPECT_EQ(start.many_sessions().max_messages_per_turn(), 7U);
  EXPECT_EQ(start.many_sessions().idle_timeout().seconds(), 3);
}

}  // namespace
}  // namespace wharf::client
