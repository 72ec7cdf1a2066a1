// Transactions on the wire and in the broker.

#include "broker/doors/grpc/convert/convert_transaction.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr Timestamp At(int second) { return Timestamp(seconds(second)); }

v1::Transaction ProtoOf(const TransactionRecord& record) {
  v1::Transaction proto;
  ToProto(record, &proto);
  return proto;
}

TEST(ConvertTransactionTest, AnOpenOneTellsWhenItExpires) {  // TXN-10
  const v1::Transaction proto = ProtoOf({.id = "tx", .begun_at = At(1), .ends_at = At(121)});

  EXPECT_EQ(proto.state(), v1::TRANSACTION_STATE_OPEN);
  EXPECT_EQ(proto.begun_time().seconds(), 1);
  EXPECT_EQ(proto.expires_time().seconds(), 121);
  EXPECT_FALSE(proto.has_ended_time());
  EXPECT_FALSE(proto.has_forgotten_after());
}

// kNever is no time that the wire can carry.
TEST(ConvertTransactionTest, OneThatIsBeingCommittedDoesNotExpire) {
  EXPECT_FALSE(ProtoOf({.id = "tx", .ends_at = kNever}).has_expires_time());
}

TEST(ConvertTransactionTest, OneThatEndedTellsWhen) {  // TXX-1
  const v1::Transaction proto = ProtoOf({.id = "tx",
                                         .state = TransactionState::kCommitted,
                                         .begun_at = At(1),
                                         .ends_at = At(2),
                                         .forget_after = At(602)});

  EXPECT_FALSE(proto.has_expires_time());
  EXPECT_EQ(proto.ended_time().seconds(), 2);
  EXPECT_EQ(proto.forgotten_after().seconds(), 602);
}

// All or none: what one token cannot be, the operation cannot be.
TEST(ConvertTransactionTest, AnOperationWithATokenThatIsNoneIsRefused) {  // TXN-21, ERR-15
  v1::SettleRequest settle;
  settle.mutable_settlement()->mutable_complete();
  v1::RenewLockRequest renew;
  v1::SetSessionStateRequest set;
  set.set_session_lock_token(LockToken(1, 2).ToBytes());
  for (const std::string& token : {LockToken(3, 4).ToBytes(), std::string("short")}) {
    settle.mutable_settlement()->add_lock_tokens(token);
    renew.add_lock_tokens(token);
    set.add_complete_lock_tokens(token);
    const bool is_token = token.size() == LockToken::kSize;

    EXPECT_EQ(OperationFromProto(settle).ok(), is_token);
    EXPECT_EQ(OperationFromProto(renew).ok(), is_token);
    EXPECT_EQ(OperationFromProto(set).ok(), is_token);
  }
}

}  // namespace
}  // namespace wharf
