#include "tools/wharf/definitions/normal_form.h"

#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_topic.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::util::MessageDifferencer;

// What the broker answers when it has made that; nothing if it refuses.
template <typename Properties>
std::optional<Properties> MadeByBroker(EntityKind kind, const Properties& asked) {
  Result<QueueDescription> description = FromProto(asked);
  if (!description.ok() || !CheckDescription(kind, *description).ok()) return std::nullopt;
  Properties made;
  ToProto(EntityRecord{EntityId(), kind, *description, {}, {}}, &made);
  made.clear_etag();
  return made;
}

template <typename Properties>
void ExpectAgreement(EntityKind kind, const Properties& asked) {
  Properties normal = asked;
  const Status status = Normalize(normal);
  const std::optional<Properties> made = MadeByBroker(kind, asked);
  ASSERT_EQ(status.ok(), made.has_value()) << status.ToString() << "\n" << asked.DebugString();
  if (!made) return;
  std::string difference;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&difference);
  ASSERT_TRUE(differencer.Compare(*made, normal)) << difference << asked.DebugString();
}

// Values at the bounds, in the middle, and beyond.
std::vector<std::string> ValuesOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return {"true", "false"};
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return {"-1", "0", "1", "2", "1024", "102400", "102401", "2147483647"};
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return {"0", "0.5", "1", "1.01", "-0.1", "nan"};
    case FieldDescriptor::CPPTYPE_ENUM: {
      std::vector<std::string> words;
      for (int i = 1; i < field.enum_type()->value_count(); ++i) {
        words.push_back(field.enum_type()->value(i)->name());
      }
      return words;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return {"0s",   "1us", "999ms",  "1s",     "4s",      "5s",      "19s",   "20s", "1m",
              "299s", "5m",  "86400s", "86401s", "604800s", "604801s", "3650d", "52w"};
    default:
      return {"", "orders", "x", std::string(1024, 'x'), std::string(1025, 'x')};
  }
}

void SetAny(google::protobuf::Message& message, const FieldDescriptor& field,
            std::mt19937_64& dice) {
  if (field.message_type() == v1::RetryPolicy::descriptor()) {
    auto& policy = *message.GetReflection()->MutableMessage(&message, &field);
    for (int i = 0; i < policy.GetDescriptor()->field_count(); ++i) {
      if (dice() % 2 == 0) SetAny(policy, *policy.GetDescriptor()->field(i), dice);
    }
    return;
  }
  const std::vector<std::string> values = ValuesOf(field);
  const std::string& value = values[dice() % values.size()];
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    message.GetReflection()->SetEnum(&message, &field, field.enum_type()->FindValueByName(value));
    return;
  }
  // An empty text is one here.
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    message.GetReflection()->SetString(&message, &field, value);
    return;
  }
  ASSERT_TRUE(SetFieldFromText(message, field, value).ok()) << field.name() << value;
}

template <typename Properties>
Properties AnyProperties(Properties named, std::mt19937_64& dice) {
  const auto* descriptor = Properties::descriptor();
  const std::size_t said = dice() % 4;
  for (std::size_t i = 0; i < said; ++i) {
    const FieldDescriptor& field =
        *descriptor->field(static_cast<int>(dice() % descriptor->field_count()));
    if (field.name() != "etag" && field.name() != "name" && field.name() != "topic") {
      SetAny(named, field, dice);
    }
  }
  return named;
}

TEST(NormalFormTest, WhatTheBrokerTakesAndWhatItMakesOfItIsKnown) {  // EPR-1..31
  v1::QueueProperties queue;
  queue.set_name("queue");
  v1::TopicProperties topic;
  topic.set_name("topic");
  v1::SubscriptionProperties subscription;
  subscription.set_topic("topic");
  subscription.set_name("one");
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_DEFINITIONS_ROUNDS", 5000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note(fmt::format("WHARF_SEED={} WHARF_DEFINITIONS_ROUNDS=1", seed));
    std::mt19937_64 dice(seed);
    ExpectAgreement(EntityKind::kQueue, AnyProperties(queue, dice));
    ExpectAgreement(EntityKind::kTopic, AnyProperties(topic, dice));
    ExpectAgreement(EntityKind::kSubscription, AnyProperties(subscription, dice));
    if (HasFatalFailure()) return;
  }
}

TEST(NormalFormTest, ABadNameIsRefused) {  // NAM-1, NAM-2
  v1::QueueProperties queue;
  queue.set_name("a b");
  EXPECT_FALSE(Normalize(queue).ok());
  queue.set_name("a\\b");
  EXPECT_TRUE(Normalize(queue).ok());
  EXPECT_EQ(queue.name(), "a/b");
  v1::SubscriptionProperties subscription;
  subscription.set_topic("topic");
  subscription.set_name("a/b");
  EXPECT_FALSE(Normalize(subscription).ok());
}

TEST(NormalFormTest, ARefusalNamesThePropertyAndWhatItMayBe) {
  v1::QueueProperties queue;
  queue.set_name("queue");
  queue.mutable_lock_duration()->set_seconds(1);
  EXPECT_EQ(Normalize(queue).message(), "lock_duration must be from 5s to 1d, not 1s");
  queue.mutable_lock_duration()->set_seconds(5);
  queue.set_max_delivery_count(0);
  EXPECT_EQ(Normalize(queue).message(), "max_delivery_count must be 1 or more, not 0");
}

}  // namespace
}  // namespace wharf::tool
