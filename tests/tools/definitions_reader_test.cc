#include "tools/wharf/definitions/definitions_reader.h"

#include <string>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/wharf/definitions/definitions_writer.h"

namespace wharf::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Complaint(const std::string& text) {
  const Result<Definitions> definitions = ReadDefinitions(text);
  return definitions.ok() ? "" : definitions.status().message();
}

std::string OfQueue(const std::string& properties) {
  return fmt::format(R"({{"format_version": 1, "queues": [{{"name": "q"{}}}]}})", properties);
}
std::string ComplaintOfQueue(const std::string& properties) {
  return Complaint(OfQueue(properties));
}
std::string ComplaintOfRule(const std::string& rule) {
  return Complaint(fmt::format(R"({{"format_version": 1, "topics": [{{"name": "t", "subscriptions":
          [{{"name": "s", "rules": [{}]}}]}}]}})",
                               rule));
}

TEST(DefinitionsReaderTest, WhatIsNotSaidHasItsDefault) {
  const Result<Definitions> read = ReadDefinitions(OfQueue(""));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const v1::QueueProperties& queue = read->queues.at(0).properties;
  EXPECT_EQ(queue.name(), "q");
  EXPECT_EQ(queue.lock_duration().seconds(), 60);
  EXPECT_EQ(queue.max_delivery_count(), 10);
  EXPECT_TRUE(queue.support_ordering());
  EXPECT_FALSE(queue.has_retry_policy());
}

TEST(DefinitionsReaderTest, LengthsOfTimeAreNumbersOrTexts) {
  for (const char* duration : {"90", "90.0", "\"1m30s\""}) {
    const auto read = ReadDefinitions(OfQueue(fmt::format(R"(, "lock_duration": {})", duration)));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->queues.at(0).properties.lock_duration().seconds(), 90);
  }
}

TEST(DefinitionsReaderTest, WhatIsWrittenIsReadBack) {
  const std::string text = R"({"format_version": 1,
    "access_rules": [{"name": "ops", "rights": ["Manage"]}],
    "queues": [
      {"name": "b", "forward_to": "A", "user_metadata": "\u001b[31m ü \n"},
      {"name": "A", "retry_policy": {"backoff": "exponential", "base": 0.25, "jitter": 0.2},
       "access_rules": [{"name": "shop", "rights": ["Listen", "Send"]}]}],
    "topics": [{"name": "t", "status": "send-disabled", "subscriptions": [
      {"name": "none", "rules": []},
      {"name": "many", "lock_duration": "30s", "rules": [
        {"name": "x", "filter": {"kind": "correlation", "subject": "s", "application_properties":
           {"n": {"type": "int32", "value": 5}, "f": 1.5}}},
        {"name": "$Default", "filter": {"kind": "sql", "text": "a = @b", "parameters": {"b": true}},
         "action": {"text": "SET c = @d", "parameters": {"d": "e"}}},
        {"name": "no", "filter": {"kind": "false"}}]}]}]})";
  const Result<Definitions> read = ReadDefinitions(text);
  ASSERT_TRUE(read.ok()) << read.status().message();

  const std::string written = DefinitionsText(*read);
  const Result<Definitions> again = ReadDefinitions(written);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(DefinitionsText(*again), written);
  EXPECT_THAT(written, StartsWith("{\n  \"format_version\": 1,\n  \"access_rules\": [\n"));
  // By their names, regardless of case.
  EXPECT_LT(written.find("\"name\": \"A\""), written.find("\"name\": \"b\""));
  EXPECT_LT(written.find("\"name\": \"$Default\""), written.find("\"name\": \"no\""));
  EXPECT_THAT(written, HasSubstr(R"("user_metadata": "\u001b[31m ü \n")"));
  EXPECT_THAT(written, HasSubstr(R"("base": 0.25)"));
  EXPECT_EQ(again->queues.at(1).properties.user_metadata(), "\x1b[31m ü \n");
  EXPECT_EQ(again->topics.at(0).subscriptions.at(1).rules.size(), 0U);
}

TEST(DefinitionsReaderTest, WhatIsNoJsonIsToldWithItsLine) {
  EXPECT_EQ(Complaint(""), "1:1: the JSON ends too soon");
  EXPECT_EQ(Complaint("{\n  \"ü\" x"), "2:7: \"x\" is not expected there, so it is not JSON");
  EXPECT_EQ(Complaint("{\"a\": {\"b\": 1, \"b\": 2}}"),
            ".a.b: this key stands twice in its object");
  EXPECT_EQ(Complaint(R"([{}, {"b": 1, "b": 2}])"), ".[1].b: this key stands twice in its object");
  EXPECT_EQ(Complaint(R"({"queues": [1, 1e999]})"), ".queues[1]: the number is too large");
  EXPECT_THAT(Complaint(std::string(100000, '[')), HasSubstr("within too many objects and lists"));
}

TEST(DefinitionsReaderTest, AVersionMustBeSaid) {
  EXPECT_EQ(Complaint("[]"), ".: this must be an object");
  EXPECT_EQ(Complaint("{}"), ".: the key \"format_version\" is missing; it is 1");
  EXPECT_EQ(Complaint(R"({"format_version": 2, "new": 1})"),
            ".format_version: this program reads the version 1 only");
  EXPECT_EQ(Complaint(R"({"format_version": "1"})"),
            ".format_version: this program reads the version 1 only");
}

TEST(DefinitionsReaderTest, AKeyThatIsNotThereIsToldWithTheNearest) {
  EXPECT_EQ(Complaint(R"({"format_version": 1, "queue": []})"),
            ".queue: there is no such key; did you mean \"queues\"?");
  EXPECT_EQ(Complaint(R"({"format_version": 1, "a b": []})"),
            ".[\"a b\"]: there is no such key; there are format_version, access_rules, queues, "
            "topics");
  EXPECT_EQ(ComplaintOfQueue(R"(, "lock_durations": 5)"),
            ".queues[0].lock_durations: there is no such key; did you mean \"lock_duration\"?");
  // The broker's.
  EXPECT_THAT(ComplaintOfQueue(R"(, "etag": "x")"),
              StartsWith(".queues[0].etag: there is no such"));
  EXPECT_THAT(ComplaintOfQueue(R"(, "retry_policy": {"bas": 1})"),
              StartsWith(".queues[0].retry_policy.bas: there is no such key; did you mean"));
}

TEST(DefinitionsReaderTest, ABadValueIsToldWithItsPlaceAndWhatMayBe) {
  EXPECT_EQ(ComplaintOfQueue(R"(, "status": "activ")"),
            ".queues[0].status: \"activ\" is none of active, disabled, send-disabled, "
            "receive-disabled");
  EXPECT_EQ(ComplaintOfQueue(R"(, "requires_session": "true")"),
            ".queues[0].requires_session: the value must be true or false");
  EXPECT_EQ(ComplaintOfQueue(R"(, "max_delivery_count": 1.5)"),
            ".queues[0].max_delivery_count: the value must be a whole number");
  EXPECT_THAT(ComplaintOfQueue(R"(, "lock_duration": "soon")"),
              HasSubstr(".lock_duration: \"soon\" is not a duration"));
  EXPECT_EQ(ComplaintOfQueue(R"(, "lock_duration": 1)"),
            ".queues[0] ('q'): lock_duration must be from 5s to 1d, not 1s");
  EXPECT_EQ(ComplaintOfQueue(R"(, "user_metadata": null)"),
            ".queues[0].user_metadata: null says nothing: leave the key out");
  EXPECT_EQ(ComplaintOfQueue(R"(, "retry_policy": {"jitter": 2})"),
            ".queues[0] ('q'): retry_policy.jitter must be from 0 to 1, not 2");
  EXPECT_EQ(ComplaintOfQueue(R"(, "retry_policy": 5)"),
            ".queues[0].retry_policy: this must be an object");
  EXPECT_EQ(ComplaintOfQueue(R"(, "enable_priority": true, "requires_session": true)"),
            ".queues[0] ('q'): enable_priority goes not together with requires_session");
  EXPECT_EQ(Complaint(R"({"format_version": 1, "queues": {}})"),
            ".queues: the value must be a list");
  EXPECT_EQ(Complaint(R"({"format_version": 1, "queues": [{}]})"),
            ".queues[0]: the key \"name\" is missing");
}

TEST(DefinitionsReaderTest, ANameIsTakenOnce) {
  EXPECT_THAT(Complaint(R"({"format_version": 1, "queues": [{"name": "a"}],
                            "topics": [{"name": "A"}]})"),
              StartsWith(".topics[0].name: the name 'A' is taken already"));
  EXPECT_THAT(ComplaintOfQueue(R"(, "access_rules": [{"name": "a", "rights": ["Send"]},
                                                     {"name": "A", "rights": ["Send"]}])"),
              StartsWith(".queues[0].access_rules[1].name: the name 'A' is taken"));
  EXPECT_THAT(ComplaintOfRule(R"({"name": "a", "filter": {"kind": "true"}},
                                 {"name": "A", "filter": {"kind": "true"}})"),
              HasSubstr(".rules[1].name: the name 'A' is taken"));
}

TEST(DefinitionsReaderTest, BadRules) {
  const std::string at = ".topics[0].subscriptions[0].rules[0]";
  EXPECT_EQ(ComplaintOfRule(R"({"name": "r"})"), at + ": the key \"filter\" is missing");
  EXPECT_EQ(ComplaintOfRule(R"({"name": "r", "filter": {"kind": "sq"}})"),
            at + ".filter.kind: there is no such filter; did you mean \"sql\"?");
  EXPECT_EQ(ComplaintOfRule(R"({"name": "r", "filter": {"kind": "sql"}})"),
            at + ".filter: the key \"text\" is missing");
  EXPECT_EQ(ComplaintOfRule(R"({"name": "r", "filter": {"kind": "correlation"}})"),
            at + ".filter: a correlation filter needs a property to compare");
  EXPECT_THAT(
      ComplaintOfRule(R"({"name": "r", "filter": {"kind": "correlation", "subjects": "x"}})"),
      HasSubstr(".filter.subjects: there is no such key; did you mean \"subject\"?"));
  EXPECT_THAT(ComplaintOfRule(R"({"name": "r", "filter": {"kind": "correlation",
                  "application_properties": {"n": {"type": "int23", "value": 1}}}})"),
              HasSubstr(".filter.application_properties.n: there is no type \"int23\""));
  EXPECT_THAT(ComplaintOfRule(R"({"name": "a/b", "filter": {"kind": "true"}})"),
              StartsWith(at + ".name: "));
  EXPECT_THAT(Complaint(R"({"format_version": 1, "topics": [{"name": "t", "subscriptions":
                            [{"name": "s"}]}]})"),
              StartsWith(".topics[0].subscriptions[0]: the key \"rules\" is missing"));
}

TEST(DefinitionsReaderTest, BadAccessRules) {
  const auto complaint = [](const std::string& rule) {
    return Complaint(fmt::format(R"({{"format_version": 1, "access_rules": [{}]}})", rule));
  };
  EXPECT_EQ(complaint(R"({"name": "a", "rights": ["Lisen"]})"),
            ".access_rules[0].rights[0]: there is no such right; did you mean \"Listen\"?");
  EXPECT_THAT(complaint(R"({"name": "a", "rights": []})"), HasSubstr("one right at least"));
  EXPECT_THAT(complaint(R"({"name": "a", "rights": ["Send"], "primary_key": "x"})"),
              StartsWith(".access_rules[0].primary_key: there is no such key"));
  EXPECT_THAT(complaint(R"({"name": "rootmanagesharedaccesskey", "rights": ["Manage"]})"),
              HasSubstr("the broker makes this rule itself"));
}

}  // namespace
}  // namespace wharf::tool
