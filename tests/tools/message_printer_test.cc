#include "tools/wharf/messages/message_printer.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

v1::ReceivedMessage NewMessage() {
  v1::ReceivedMessage message;
  message.set_sequence_number(7);
  message.mutable_enqueued_time()->set_seconds(60);
  message.mutable_enqueued_time()->set_nanos(123'000'000);
  return message;
}

TEST(MessagePrinterTest, AHeadlineHasTheNumberTheTimeAndTheProperties) {
  v1::ReceivedMessage message = NewMessage();
  message.mutable_message()->set_subject("greeting");
  auto& properties = *message.mutable_message()->mutable_application_properties();
  properties["count"].set_int32_value(5);
  properties["type"].set_string_value("a b");

  EXPECT_EQ(Headline(message),
            "7  enqueued 1970-01-01T00:01:00Z  subject=greeting  count=5  type=a b");
}

TEST(MessagePrinterTest, AHeadlineSaysWhenItIsNotTheFirstTry) {
  v1::ReceivedMessage message = NewMessage();
  message.set_delivery_count(1);
  EXPECT_EQ(Headline(message), "7  enqueued 1970-01-01T00:01:00Z");

  message.set_delivery_count(3);

  EXPECT_EQ(Headline(message), "7  enqueued 1970-01-01T00:01:00Z  try 3");
}

TEST(MessagePrinterTest, AHeadlineIsOneLineOfVisibleCharacters) {
  v1::ReceivedMessage message = NewMessage();
  message.mutable_message()->set_message_id("a\x1b[31m\nb");
  (*message.mutable_message()->mutable_application_properties())["n\x07"].set_string_value("\x1b");

  EXPECT_EQ(Headline(message),
            "7  enqueued 1970-01-01T00:01:00Z  message_id=a\\x1b[31m\\nb  n\\x07=\\x1b");
}

}  // namespace
}  // namespace wharf::tool
