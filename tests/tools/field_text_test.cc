#include "tools/wharf/text/field_text.h"

#include <gtest/gtest.h>

#include "wharf/v1/management.pb.h"

namespace wharf::tool {
namespace {

class FieldTextTest : public testing::Test {
 protected:
  static const google::protobuf::FieldDescriptor& Field(const std::string& name) {
    return *v1::QueueProperties::descriptor()->FindFieldByName(name);
  }

  Status Set(const std::string& name, const std::string& text) {
    return SetFieldFromText(queue_, Field(name), text);
  }
  std::string Get(const std::string& name) { return FieldToText(queue_, Field(name)); }

  v1::QueueProperties queue_;
};

TEST_F(FieldTextTest, ReadsAndWritesEveryKind) {
  const std::pair<const char*, const char*> fields[] = {
      {"lock_duration", "1h30m"},
      {"max_size_in_megabytes", "5120"},
      {"max_delivery_count", "7"},
      {"requires_session", "true"},
      {"status", "send-disabled"},
      {"forward_to", "other"},
      {"enable_batched_operations", "false"},
  };
  for (const auto& [name, text] : fields) {
    ASSERT_TRUE(Set(name, text).ok()) << name;
    EXPECT_EQ(Get(name), text);
  }
}

TEST_F(FieldTextTest, TextIsUtf8) {
  EXPECT_EQ(Set("forward_to", "\xff").message(), "the text is not UTF-8");
  EXPECT_TRUE(Set("forward_to", "\xc3\xa4").ok());
}

TEST_F(FieldTextTest, NeverClearsADuration) {
  ASSERT_TRUE(Set("default_message_time_to_live", "5m").ok());

  ASSERT_TRUE(Set("default_message_time_to_live", "never").ok());

  EXPECT_FALSE(queue_.has_default_message_time_to_live());
}

TEST_F(FieldTextTest, EmptyTextClearsAnOptionalString) {
  ASSERT_TRUE(Set("forward_to", "other").ok());

  ASSERT_TRUE(Set("forward_to", "").ok());

  EXPECT_FALSE(queue_.has_forward_to());
}

TEST_F(FieldTextTest, AFieldWithFieldsIsAnObject) {
  v1::RetryPolicy& policy = *queue_.mutable_retry_policy();
  policy.set_backoff(v1::RetryPolicy::BACKOFF_LINEAR);
  policy.mutable_base()->set_seconds(90);
  policy.set_jitter(0.5);

  EXPECT_EQ(Get("retry_policy"), R"({"backoff":"linear","base":90,"jitter":0.5})");
}

TEST_F(FieldTextTest, SeveralValuesAreAList) {
  v1::MessageSelection selection;
  EXPECT_EQ(ToLine(FieldsToJson(selection)), "{}");
  selection.add_sequence_numbers(7);
  selection.add_sequence_numbers(8);

  EXPECT_EQ(ToLine(FieldsToJson(selection)), R"({"sequence_numbers":[7,8]})");
}

TEST_F(FieldTextTest, DurationsAreNumbersOfSecondsInJson) {
  const auto& field = Field("lock_duration");
  for (const char* json : {"60", "1.5", "1e-06", "0", "31536000000.25"}) {
    ASSERT_TRUE(SetFieldFromJson(queue_, field, Json::parse(json)).ok()) << json;
    EXPECT_EQ(ToLine(FieldToJson(queue_, field)), json);
  }
  ASSERT_TRUE(SetFieldFromJson(queue_, field, "1m30s").ok());
  EXPECT_EQ(ToLine(FieldToJson(queue_, field)), "90");
  for (const char* json : {"-1", "1e300", "true", "[1]", "\"1 apple\"", "1000000000000"}) {
    EXPECT_FALSE(SetFieldFromJson(queue_, field, Json::parse(json)).ok()) << json;
  }
}

TEST_F(FieldTextTest, WhatSaysNothingIsLeftOut) {
  v1::Job job;
  job.mutable_selection();

  const Json json = FieldsToJson(job);

  for (const char* absent : {"target", "last_error", "selection", "created_at"}) {
    EXPECT_FALSE(json.contains(absent)) << absent;
  }
  EXPECT_EQ(json["done_count"], 0);
}

TEST_F(FieldTextTest, TimesEndWithTheSecondIfSoAsked) {
  v1::Job job;
  job.mutable_created_at()->set_seconds(1795000000);
  job.mutable_created_at()->set_nanos(999'999'000);
  const auto& field = *v1::Job::descriptor()->FindFieldByName("created_at");

  EXPECT_EQ(FieldToText(job, field, TimeDigits::kToTheSecond), "2026-11-18T11:06:40Z");
  EXPECT_EQ(FieldToText(job, field), "2026-11-18T11:06:40.999999Z");
}

TEST_F(FieldTextTest, BadTextIsRefusedWithOneSentence) {
  EXPECT_EQ(Set("max_delivery_count", "x").message(), "\"x\" is not a whole number");
  EXPECT_EQ(Set("max_delivery_count", "2147483648").message(),
            "2147483648 is outside -2147483648 to 2147483647");
  EXPECT_EQ(Set("requires_session", "yes").message(), "\"yes\" is neither true nor false");
  EXPECT_EQ(Set("status", "gone").message(),
            "\"gone\" is none of active, disabled, send-disabled, receive-disabled");
  EXPECT_FALSE(Set("lock_duration", "soon").ok());
}

}  // namespace
}  // namespace wharf::tool
