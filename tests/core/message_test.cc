#include "broker/core/messages/message.h"

#include <memory>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr std::size_t kKibi = 1024;

std::string Umlauts(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "\xC3\xA4";
  return text;
}

TEST(MessageTest, AnEmptyMessageIsAMessage) {
  EXPECT_TRUE(CheckMessage(Message()).ok());
  EXPECT_EQ(SizeOf(Message()), 0);
}

using IdField = std::optional<std::string> Message::*;

class IdTest : public ::testing::TestWithParam<IdField> {};

TEST_P(IdTest, Has128CharactersAtMost) {  // SIZ-6, PRP-1, PRP-7, PRP-8, PRP-9, PRP-10
  Message message;
  message.*GetParam() = std::string(128, 'x');
  EXPECT_TRUE(CheckMessage(message).ok());

  message.*GetParam() = std::string(129, 'x');
  EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kArgumentError);
}

TEST_P(IdTest, IsCountedInCharactersNotInBytes) {  // SIZ-6
  Message message;
  message.*GetParam() = Umlauts(128);
  EXPECT_TRUE(CheckMessage(message).ok());

  message.*GetParam() = Umlauts(129);
  EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kArgumentError);
}

TEST_P(IdTest, MayBeEmpty) {
  Message message;
  message.*GetParam() = "";
  EXPECT_TRUE(CheckMessage(message).ok());
}

INSTANTIATE_TEST_SUITE_P(Message, IdTest,
                         ::testing::Values(&Message::message_id, &Message::session_id,
                                           &Message::reply_to_session_id, &Message::partition_key,
                                           &Message::via_partition_key));

TEST(MessageTest, OtherTextsMayBeLonger) {  // PRP-2, PRP-3, PRP-4, PRP-5, PRP-6
  for (const auto field : {&Message::correlation_id, &Message::content_type, &Message::subject,
                           &Message::to, &Message::reply_to}) {
    Message message;
    message.*field = std::string(5000, 'x');
    EXPECT_TRUE(CheckMessage(message).ok());
    EXPECT_EQ(SizeOf(message), 5000);
  }
}

TEST(MessageTest, SessionIdAndPartitionKeyMustBeEqual) {  // PRP-9
  Message message;
  message.session_id = "a";
  message.partition_key = "a";
  EXPECT_TRUE(CheckMessage(message).ok());

  message.partition_key = "b";
  EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kInvalidOperation);
}

TEST(MessageTest, ATimeToLiveIsMoreThanZero) {  // TTL-18
  Message message;
  for (const Duration ttl : {Duration(0), Duration(-1)}) {
    message.time_to_live = ttl;
    EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kArgumentError);
  }
  message.time_to_live = Duration(1);
  EXPECT_TRUE(CheckMessage(message).ok());
}

TEST(MessageTest, APropertyHas32KibibytesAtMost) {  // SIZ-4
  Message message;
  message.application_properties = {{"name", std::string(32 * kKibi - 4, 'x')}};
  EXPECT_TRUE(CheckMessage(message).ok());

  // Its name counts.
  message.application_properties = {{"names", std::string(32 * kKibi - 4, 'x')}};
  EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kArgumentError);
  message.application_properties = {{std::string(32 * kKibi + 1, 'n'), true}};
  const Status refused = CheckMessage(message);
  EXPECT_EQ(refused.code(), ErrorCode::kArgumentError);
  EXPECT_LT(refused.message().size(), 300U);
}

TEST(MessageTest, AllPropertiesTogetherHave64KibibytesAtMost) {  // SIZ-5
  Message message;
  message.application_properties = {{"a", std::string(31 * kKibi, 'x')},
                                    {"b", std::string(31 * kKibi, 'x')}};
  message.subject = std::string(2 * kKibi - 2, 'x');
  EXPECT_EQ(PropertiesSizeOf(message), static_cast<std::int64_t>(64 * kKibi));
  EXPECT_TRUE(CheckMessage(message).ok());

  // Those of the system count with those of the user.
  message.subject->push_back('x');
  EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kMessageSizeExceeded);
}

TEST(MessageTest, WhatIsOnlyCarriedCountsToo) {  // SIZ-5, PRP-27, PRP-29
  CarriedProperties carried;
  carried.footer = {{"a", std::string(31 * kKibi, 'x')}};
  carried.annotations = {{"a", std::string(31 * kKibi, 'x')}};
  Message message;
  message.carried = std::make_shared<CarriedProperties>(carried);
  EXPECT_TRUE(CheckMessage(message).ok());

  carried.user_id = std::string(2 * kKibi, 'x');
  message.carried = std::make_shared<CarriedProperties>(carried);
  EXPECT_EQ(CheckMessage(message).code(), ErrorCode::kMessageSizeExceeded);
}

TEST(MessageTest, TheBodyDoesNotCountAmongTheProperties) {  // SIZ-5, PRP-23
  Message message;
  message.body = std::string(100 * kKibi, 'x');
  message.subject = "abc";

  EXPECT_TRUE(CheckMessage(message).ok());
  EXPECT_EQ(PropertiesSizeOf(message), 3);
  EXPECT_EQ(SizeOf(message), static_cast<std::int64_t>(100 * kKibi) + 3);
}

TEST(MessageTest, PropertiesToModifyHaveTheSameLimits) {  // STL-7, SIZ-4, SIZ-5
  EXPECT_TRUE(CheckProperties({}).ok());
  EXPECT_EQ(CheckProperties({{"a", std::string(32 * kKibi, 'x')}}).code(),
            ErrorCode::kArgumentError);
  const PropertyMap three(3, {"a", std::string(22 * kKibi, 'x')});
  EXPECT_EQ(CheckProperties(three).code(), ErrorCode::kMessageSizeExceeded);
}

}  // namespace
}  // namespace wharf
