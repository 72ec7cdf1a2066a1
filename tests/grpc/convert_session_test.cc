// Sessions on the wire and in the broker.

#include "broker/doors/grpc/convert/convert_session.h"

#include <memory>

#include <gtest/gtest.h>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Timestamp At(int second) { return Timestamp(seconds(second)); }

TEST(ConvertSessionTest, ATokenHas16Bytes) {  // SES-24, ERR-15
  EXPECT_EQ(*SessionTokenFromProto(LockToken(1, 2).ToBytes()), LockToken(1, 2));
  for (const std::size_t size : {15, 17}) {
    EXPECT_EQ(SessionTokenFromProto(std::string(size, 'x')).status(),
              Status(ErrorCode::kArgumentError, "session_lock_token must have 16 bytes"));
  }
  EXPECT_EQ(
      SessionTokenFromProto("").status(),
      Status(ErrorCode::kArgumentError, "session_lock_token is absent: accept a session first"));
}

TEST(ConvertSessionTest, ATokenMayBeAbsentWhereThereMayBeNoSession) {
  EXPECT_EQ(*OptionalSessionTokenFromProto(""), std::nullopt);
  EXPECT_EQ(*OptionalSessionTokenFromProto(LockToken(1, 2).ToBytes()), LockToken(1, 2));
  EXPECT_EQ(OptionalSessionTokenFromProto("short").status().code(), ErrorCode::kArgumentError);
}

// The broker gives none of that kind.
TEST(ConvertSessionTest, APageTokenWithoutANameIsRefused) {
  const std::string token = PageTokenOfName("");

  EXPECT_EQ(NameFromPageToken(token).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertSessionTest, AStreamWithoutASession) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*SessionFromProto(v1::ReceiveStart())));
}

TEST(ConvertSessionTest, AStreamOfOneSession) {  // SES-4, SES-5, SES-24
  v1::ReceiveStart start;
  start.set_session_id("");  // The broker refuses it.
  EXPECT_EQ(std::get<SessionChoice>(*SessionFromProto(start)).id, "");
  start.set_session_id("red");
  EXPECT_EQ(std::get<SessionChoice>(*SessionFromProto(start)).id, "red");

  start.mutable_next_session()->mutable_max_wait()->set_seconds(5);
  const SessionChoice next = std::get<SessionChoice>(*SessionFromProto(start));
  EXPECT_EQ(next.id, std::nullopt);
  EXPECT_EQ(next.wait, seconds(5));

  start.set_session_lock_token(LockToken(3, 4).ToBytes());
  EXPECT_EQ(std::get<LockToken>(*SessionFromProto(start)), LockToken(3, 4));
  start.set_session_lock_token("");
  EXPECT_EQ(SessionFromProto(start).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertSessionTest, AStreamOfManySessionsHasDefaults) {
  v1::ReceiveStart start;
  start.mutable_many_sessions();

  const ManySessions many = std::get<ManySessions>(*SessionFromProto(start));

  EXPECT_EQ(many.concurrent_max, 8U);
  EXPECT_EQ(many.messages_per_turn, 0U);
  EXPECT_EQ(many.idle_timeout, Duration(0));
}

TEST(ConvertSessionTest, AStreamOfManySessionsHasRanges) {  // ERR-16
  v1::ReceiveStart start;
  v1::ManySessions& proto = *start.mutable_many_sessions();
  proto.set_max_concurrent_sessions(1000);
  proto.set_max_messages_per_turn(7);
  proto.mutable_idle_timeout()->set_seconds(3600);
  const ManySessions many = std::get<ManySessions>(*SessionFromProto(start));
  EXPECT_EQ(many.concurrent_max, 1000U);
  EXPECT_EQ(many.messages_per_turn, 7U);
  EXPECT_EQ(many.idle_timeout, hours(1));

  proto.mutable_idle_timeout()->set_nanos(1);
  EXPECT_EQ(SessionFromProto(start).status().code(), ErrorCode::kArgumentOutOfRange);
  proto.mutable_idle_timeout()->set_seconds(0);
  proto.mutable_idle_timeout()->set_nanos(-1);
  EXPECT_EQ(SessionFromProto(start).status().code(), ErrorCode::kArgumentOutOfRange);
  proto.clear_idle_timeout();
  proto.set_max_concurrent_sessions(1001);
  EXPECT_EQ(SessionFromProto(start).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertSessionTest, AnAcceptNamesASessionOrWaitsForTheNext) {  // SES-4, SES-5
  v1::AcceptSessionRequest proto;
  proto.mutable_max_wait()->set_seconds(60);
  EXPECT_EQ(FromProto(proto)->id, std::nullopt);
  EXPECT_EQ(FromProto(proto)->wait, minutes(1));

  proto.set_session_id("red");
  EXPECT_EQ(FromProto(proto)->id, "red");
  proto.mutable_max_wait()->set_nanos(-1);
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertSessionTest, AnAcceptedSession) {  // SES-9, SES-24
  v1::AcceptedSession proto;
  ToProto(AcceptedSession{"red", LockToken(1, 2), At(60), minutes(1)}, &proto);

  EXPECT_EQ(proto.session_id(), "red");
  EXPECT_EQ(proto.session_lock_token(), LockToken(1, 2).ToBytes());
  EXPECT_EQ(proto.locked_until().seconds(), 60);
  EXPECT_EQ(proto.lock_duration().seconds(), 60);
}

TEST(ConvertSessionTest, AnEndedSessionHasAnErrorOnlyIfItWasLost) {
  v1::SessionEnded proto;
  ToProto(EndedSession{"red", LockToken(1, 2), Status()}, {"orders"}, &proto);
  EXPECT_EQ(proto.session_id(), "red");
  EXPECT_EQ(proto.session_lock_token(), LockToken(1, 2).ToBytes());
  EXPECT_FALSE(proto.has_error());

  ToProto(EndedSession{"red", LockToken(1, 2), {ErrorCode::kSessionLockLost, "it expired"}},
          {"orders"}, &proto);
  EXPECT_EQ(proto.error().code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(proto.error().message(), "it expired");
}

TEST(ConvertSessionTest, APageIsAskedFor) {  // SLS-1, SLS-4
  v1::ListSessionsRequest proto;
  proto.set_entity_path("orders");
  const ListSessionsRequest first = *FromProto(proto);
  EXPECT_EQ(first.entity.path, "orders");
  EXPECT_EQ(first.after, std::nullopt);
  EXPECT_EQ(first.count_max, 100U);
  EXPECT_EQ(first.state_updated_since, std::nullopt);

  proto.set_page_size(1000);
  proto.set_page_token(PageTokenOfName("red"));
  proto.mutable_state_updated_since()->set_seconds(9);
  const ListSessionsRequest next = *FromProto(proto);
  EXPECT_EQ(next.after, "red");
  EXPECT_EQ(next.count_max, 1000U);
  EXPECT_EQ(next.state_updated_since, At(9));

  proto.set_page_size(1001);
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertSessionTest, WhatASessionHasNotIsAbsent) {  // SLS-2
  v1::ListSessionsResponse proto;
  SessionInfo red;
  red.id = "red";
  ToProto(SessionPage{{red}, std::nullopt}, &proto);

  ASSERT_EQ(proto.sessions_size(), 1);
  const v1::SessionProperties& session = proto.sessions(0);
  EXPECT_EQ(session.session_id(), "red");
  EXPECT_FALSE(session.has_oldest_sequence_number());
  EXPECT_FALSE(session.has_oldest_enqueued_time());
  EXPECT_FALSE(session.has_locked_until());
  EXPECT_FALSE(session.has_locked_since());
  EXPECT_FALSE(session.has_locked_by() || session.has_locked_by_identity());
  EXPECT_FALSE(session.has_state_updated_time());
  EXPECT_FALSE(session.has_state_size());
  EXPECT_EQ(proto.next_page_token(), "");
}

TEST(ConvertSessionTest, APageTokenIsOneThatAPageHasGiven) {  // ERR-15
  v1::ListSessionsRequest proto;
  for (const char* token : {"red", "00000000-red", "x", "-"}) {
    proto.set_page_token(token);
    EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentError) << token;
  }
}

TEST(ConvertSessionTest, EverythingOfASession) {  // SLS-2
  v1::ListSessionsResponse proto;
  ToProto(
      SessionPage{
          {{.id = "red",
            .messages = 7,
            .has_more = true,
            .oldest_number = SequenceNumber(3),
            .oldest_enqueued_at = At(1),
            .locked_until = At(2),
            .locked_since = At(3),
            .holder = std::make_shared<const Actor>(Actor{Door::kGrpc, "ipv4:10.0.0.1:5", "root"}),
            .state_updated_at = At(4),
            .state_bytes = 0}},
          "red"},
      &proto);

  ASSERT_EQ(proto.sessions_size(), 1);
  const v1::SessionProperties& session = proto.sessions(0);
  EXPECT_EQ(session.message_count(), 7);
  EXPECT_TRUE(session.has_more_messages());
  EXPECT_EQ(session.oldest_sequence_number(), 3);
  EXPECT_EQ(session.oldest_enqueued_time().seconds(), 1);
  EXPECT_EQ(session.locked_until().seconds(), 2);
  EXPECT_EQ(session.locked_since().seconds(), 3);
  EXPECT_EQ(session.locked_by(), "ipv4:10.0.0.1:5");
  EXPECT_EQ(session.locked_by_identity(), "root");
  EXPECT_EQ(session.state_updated_time().seconds(), 4);
  EXPECT_TRUE(session.has_state_size());  // Empty bytes are a state (SST-2).
  EXPECT_EQ(*NameFromPageToken(proto.next_page_token()), "red");
}

TEST(ConvertSessionTest, TheDeepestSessions) {
  v1::ListDeepestSessionsResponse proto;
  ToProto(DeepestSessions{{{"red", 9}, {"blue", 2}}, At(5)}, &proto);

  ASSERT_EQ(proto.sessions_size(), 2);
  EXPECT_EQ(proto.sessions(0).session_id(), "red");
  EXPECT_EQ(proto.sessions(0).message_count(), 9);
  EXPECT_EQ(proto.sessions(1).session_id(), "blue");
  EXPECT_EQ(proto.as_of().seconds(), 5);
}

}  // namespace
}  // namespace wharf
