#include "broker/doors/grpc/services/item_scan.h"

#include <string>

#include <gtest/gtest.h>

#include "wharf/v1/messaging.pb.h"
#include "wharf/v1/transactions.pb.h"

namespace wharf {
namespace {

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

template <typename Request>
bool HasTooMany(const std::string& bytes) {
  grpc::ByteBuffer buffer = BufferOf(bytes);
  const bool has_too_many = HasTooManyItems(buffer, *Request::descriptor());
  EXPECT_EQ(buffer.Length(), bytes.size()) << "the bytes are still there";
  return has_too_many;
}

TEST(ItemScanTest, AsManyAsMayBeAreFew) {
  v1::SendRequest request;
  for (int i = 0; i < 4500; ++i) {
    v1::Message& message = *request.add_messages();
    message.set_body(std::string(100, 'b'));
    (*message.mutable_application_properties())["a"].set_int64_value(i);
  }
  EXPECT_FALSE(HasTooMany<v1::SendRequest>(request.SerializeAsString()));
}

TEST(ItemScanTest, WhatIsEmptyTakesRoomAsWell) {
  v1::SendRequest request;
  for (int i = 0; i < 1'000'000; ++i) request.add_messages();
  EXPECT_TRUE(HasTooMany<v1::SendRequest>(request.SerializeAsString()));
}

TEST(ItemScanTest, SoDoTextsAndWhatNobodyKnows) {
  v1::RenewLockRequest renew;
  for (int i = 0; i < 4500; ++i) renew.add_lock_tokens(std::string(16, 't'));
  EXPECT_FALSE(HasTooMany<v1::RenewLockRequest>(renew.SerializeAsString()));
  for (int i = 0; i < 1'000'000; ++i) renew.add_lock_tokens("");
  EXPECT_TRUE(HasTooMany<v1::RenewLockRequest>(renew.SerializeAsString()));

  std::string unknown;
  for (int i = 0; i < 1'000'000; ++i) unknown += "\x78\x01";
  EXPECT_TRUE(HasTooMany<v1::RenewLockRequest>(unknown));
}

TEST(ItemScanTest, DamageIsForTheParserToTell) {
  EXPECT_FALSE(HasTooMany<v1::SendRequest>(std::string(1 << 20, '\xFF')));
}

}  // namespace
}  // namespace wharf
