// What a Config.json says, and what is made of it.
#include "broker/emulator/config_json.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/any_config_json.h"
#include "tests/storage/temp_folder.h"

namespace wharf::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Wanted Read(const std::string& text) {
  config::Complaints complaints;
  Wanted wanted = WantedOf("c.json", text, complaints);
  EXPECT_THAT(complaints.Lines(), IsEmpty());
  return wanted;
}

// As the emulator's own pages show it.
TEST(ConfigJsonTest, TheExampleOfTheEmulatorIsRead) {
  const Wanted wanted = Read(Example());

  std::vector<std::string> names;
  for (const WantedEntity& each : wanted.entities) names.push_back(each.description.name);
  EXPECT_THAT(names, ElementsAre("queue.1", "topic.1", "topic.1/Subscriptions/subscription.1",
                                 "topic.1/Subscriptions/subscription.2",
                                 "topic.1/Subscriptions/subscription.3",
                                 "topic.1/Subscriptions/subscription.4"));
  QueueDescription queue{.name = "queue.1"};
  queue.default_message_time_to_live = std::chrono::hours(1);
  queue.duplicate_detection_history_time_window = std::chrono::seconds(20);
  queue.max_delivery_count = 3;
  EXPECT_EQ(wanted.entities[0].description, queue);
  EXPECT_EQ(wanted.entities[0].said.size(), 9u);
  EXPECT_EQ(wanted.entities[1].kind, EntityKind::kTopic);
  EXPECT_THAT(wanted.entities[4].rules, IsEmpty());
}

TEST(ConfigJsonTest, RulesOfBothKindsAreRead) {
  const Wanted wanted = Read(Example());

  CorrelationFilter filter{.correlation_id = "id1",
                           .message_id = "msgid1",
                           .to = "xyz",
                           .reply_to = "someQueue",
                           .subject = "subject1",
                           .session_id = "session1",
                           .reply_to_session_id = "sessionId",
                           .content_type = "application/text"};
  ASSERT_EQ(wanted.entities[2].rules.size(), 1u);
  EXPECT_EQ(wanted.entities[2].rules[0].rule.filter, RuleFilter(filter));
  const CorrelationFilter own{.application_properties = {{"prop1", std::string("value1")}}};
  EXPECT_EQ(wanted.entities[3].rules[0].rule.filter, RuleFilter(own));
  const RuleDescription& sql = wanted.entities[5].rules[0].rule;
  EXPECT_EQ(sql.name, "sql-filter-1");
  EXPECT_EQ(sql.filter,
            RuleFilter(SqlText{.text = "sys.MessageId = '123456' AND userProp1 = 'value1'"}));
  EXPECT_EQ(sql.action, SqlText{.text = "SET sys.To = 'Entity'"});
}

TEST(ConfigJsonTest, PropertiesOfTheApplicationKeepTheirTypes) {
  const Wanted wanted = Read(OfRule(R"({"Name": "r", "Properties": {"FilterType": "Correlation",
      "CorrelationFilter": {"Properties": {"a": "x", "b": 5, "c": 1.5, "d": true}}}})"));

  const PropertyMap values = {
      {"a", std::string("x")}, {"b", std::int64_t{5}}, {"c", 1.5}, {"d", true}};
  const RuleFilter& filter = wanted.entities.at(1).rules.at(0).rule.filter;
  EXPECT_EQ(filter, RuleFilter(CorrelationFilter{.application_properties = values}));
}

// As tools write it that make the file of templates.
TEST(ConfigJsonTest, ARuleMayHaveAnEmptyFilterOfTheOtherKind) {
  const Wanted wanted = Read(OfRule(R"({"Name": "r", "Properties": {"FilterType": "Sql",
      "CorrelationFilter": {}, "SqlFilter": {"SqlExpression": "a = 1", "CompatibilityLevel": 20,
      "RequiresPreprocessing": false}}})"));

  EXPECT_EQ(wanted.entities.at(1).rules.at(0).rule.filter, RuleFilter(SqlText{.text = "a = 1"}));
}

TEST(ConfigJsonTest, APlaceIsAPathAndALine) {
  const Wanted wanted = Read(
      "{\"UserConfig\": {\"Namespaces\": [{\n\"Queues\": [\n"
      "{\"Name\": \"a\"},\n{\"Name\": \"b\", \"Properties\": {\n"
      "\"MaxDeliveryCount\": 3\n}}]}]}}");

  ASSERT_EQ(wanted.entities.size(), 2u);
  EXPECT_EQ(wanted.entities[1].where.path, "UserConfig.Namespaces[0].Queues[1]");
  EXPECT_EQ(wanted.entities[1].where.line, 4u);
  EXPECT_EQ(wanted.entities[1].said[0].second.path,
            "UserConfig.Namespaces[0].Queues[1].Properties.MaxDeliveryCount");
  EXPECT_EQ(wanted.entities[1].said[0].second.line, 5u);
}

TEST(ConfigJsonTest, NothingIsWantedWhereNothingIsSaid) {
  EXPECT_THAT(Read(R"({"UserConfig": {}})").entities, IsEmpty());
  EXPECT_THAT(
      Read(R"({"UserConfig": {"Namespaces": [], "Logging": {"Type": "Console"}}})").entities,
      IsEmpty());
  EXPECT_THAT(Read(R"({"UserConfig": {"Namespaces": [{"Name": "n", "Queues": null}]}})").entities,
              IsEmpty());
}

TEST(ConfigJsonTest, NullAndAnEmptyTargetSayNothing) {
  const Wanted wanted = Read(OfQueue(R"({"ForwardTo": "", "LockDuration": null})"));

  ASSERT_EQ(wanted.entities.size(), 1u);
  EXPECT_EQ(wanted.entities[0].description, (QueueDescription{.name = "q"}));
  EXPECT_EQ(wanted.entities[0].said.size(), 1u);
}

TEST(ConfigJsonTest, AQueueSaysAllOfIt) {
  const Wanted wanted = Read(OfQueue(R"({
      "LockDuration": "PT30S", "MaxDeliveryCount": 5, "RequiresSession": true,
      "RequiresDuplicateDetection": true, "DuplicateDetectionHistoryTimeWindow": "PT5M",
      "DefaultMessageTimeToLive": "P1DT2H", "DeadLetteringOnMessageExpiration": true,
      "ForwardDeadLetteredMessagesTo": "other", "AutoDeleteOnIdle": "PT10M",
      "MaxSizeInMegabytes": 2048, "MaxMessageSizeInKilobytes": 256, "EnablePartitioning": true,
      "EnableBatchedOperations": false, "Status": "SendDisabled", "UserMetadata": "m"})"));

  QueueDescription queue{.name = "q"};
  queue.lock_duration = std::chrono::seconds(30);
  queue.max_delivery_count = 5;
  queue.requires_session = true;
  queue.requires_duplicate_detection = true;
  queue.duplicate_detection_history_time_window = std::chrono::minutes(5);
  queue.default_message_time_to_live = std::chrono::hours(26);
  queue.dead_lettering_on_message_expiration = true;
  queue.forward_dead_lettered_messages_to = "other";
  queue.auto_delete_on_idle = std::chrono::minutes(10);
  queue.max_size_in_megabytes = 2048;
  queue.max_message_size_in_kilobytes = 256;
  queue.enable_partitioning = true;
  queue.enable_batched_operations = false;
  queue.status = EntityStatus::kSendDisabled;
  queue.user_metadata = "m";
  ASSERT_EQ(wanted.entities.size(), 1u);
  EXPECT_EQ(wanted.entities[0].description, queue);
}

// Each property goes to a field of its own, and only there.
TEST(ConfigJsonTest, WhatIsSaidIsAllThatChanges) {
  const Wanted wanted = Read(OfQueue(R"({"MaxDeliveryCount": 5, "UserMetadata": ""})"));
  QueueDescription current{.name = "q"};
  current.lock_duration = std::chrono::minutes(3);
  current.user_metadata = "mine";

  QueueDescription next = current;
  next.max_delivery_count = 5;
  next.user_metadata.reset();
  EXPECT_EQ(wanted.entities[0].Over(current), next);
}

class ConfigJsonFileTest : public ::testing::Test {
 protected:
  std::string WhyNot() {
    config::Complaints complaints;
    ReadConfigJson(path_, complaints);
    return complaints.empty() ? "" : complaints.Lines().front();
  }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/Config.json";
};

TEST_F(ConfigJsonFileTest, AFileIsRead) {
  std::ofstream(path_) << Example();
  EXPECT_EQ(WhyNot(), "");
}

TEST_F(ConfigJsonFileTest, WhatCannotBeReadIsTold) {
  EXPECT_EQ(WhyNot(), "cannot read " + path_ + ": No such file or directory");
  config::Complaints complaints;
  ReadConfigJson(folder_.path(), complaints);
  EXPECT_THAT(complaints.Lines().front(), ::testing::HasSubstr("Is a directory"));
}

TEST_F(ConfigJsonFileTest, AHundredMebibytesAreNotRead) {
  std::ofstream(path_).seekp(100 << 20).put(' ');
  EXPECT_EQ(WhyNot(), "cannot read " + path_ + ": it has more than 16 MiB");
}

}  // namespace
}  // namespace wharf::emulator
