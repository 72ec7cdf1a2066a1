// What has to be asked so that there is what a Config.json wants; nothing, where it is there.
#include "broker/emulator/difference.h"

#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/emulator/config_json.h"
#include "tests/emulator/any_config_json.h"

namespace wharf::emulator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What a step does, and to what.
struct InWords {
  std::string operator()(const CreateEntityRequest& request) const {
    const auto& to = request.description.forward_to;
    return fmt::format("create {}{}{}", request.description.name, to ? " -> " + *to : "",
                       request.first_rule ? " with " + request.first_rule->name : "");
  }
  std::string operator()(const UpdateEntityRequest& request) const {
    return "update " + request.name;
  }
  std::string operator()(const AddRuleRequest& request) const {
    return fmt::format("add {} to {}", request.rule.name, request.subscription);
  }
  std::string operator()(const UpdateRuleRequest& request) const {
    return fmt::format("update {} of {}", request.name, request.subscription);
  }
  std::string operator()(const RemoveRuleRequest& request) const {
    return fmt::format("remove {} of {}", request.name, request.subscription);
  }
};

class DifferenceTest : public ::testing::Test {
 protected:
  void Want(const std::string& text) {
    wanted_ = WantedOf("c.json", text, complaints_);
    ASSERT_THAT(complaints_.Lines(), IsEmpty());
  }
  // From here on there is what is wanted now.
  void Have() {
    for (const WantedEntity& each : wanted_.entities) {
      present_.Put({.kind = each.kind, .description = each.description});
      for (const WantedRule& rule : each.rules) present_.PutRule(each.description.name, rule.rule);
    }
  }
  std::vector<std::string> Steps() {
    Findings findings("c.json", complaints_);
    std::vector<std::string> words;
    for (const Step& step : DifferenceOf(wanted_, present_, findings)) {
      words.push_back(std::visit(InWords{}, step.request));
    }
    return words;
  }

  Wanted wanted_;
  Present present_;
  config::Complaints complaints_;
};

std::string Queues(const std::string& queues) {
  return R"({"UserConfig": {"Namespaces": [{"Queues": [)" + queues + "]}]}}";
}
std::string Sql(const std::string& name, const std::string& filter) {
  return R"({"Name": ")" + name +
         R"(", "Properties": {"FilterType": "Sql", "SqlFilter": {"SqlExpression": ")" + filter +
         "\"}}}";
}
const std::string kPath = "t/Subscriptions/s";

TEST_F(DifferenceTest, WhatIsNotThereIsMadeInTheOrderOfTheFile) {
  Want(Example());

  EXPECT_THAT(Steps(),
              ElementsAre("create queue.1", "create topic.1",
                          "create topic.1/Subscriptions/subscription.1 with app-prop-filter-1",
                          "create topic.1/Subscriptions/subscription.2 with user-prop-filter-1",
                          "create topic.1/Subscriptions/subscription.3",
                          "create topic.1/Subscriptions/subscription.4 with sql-filter-1"));
}

TEST_F(DifferenceTest, WhatIsThereIsLeftAlone) {
  Want(Example());
  Have();

  EXPECT_THAT(Steps(), IsEmpty());
  EXPECT_THAT(complaints_.Lines(), IsEmpty());
}

TEST_F(DifferenceTest, OnlyWhatTheFileSaysIsCompared) {
  Want(OfQueue(R"({"MaxDeliveryCount": 5})"));
  QueueDescription other = wanted_.entities[0].description;
  other.lock_duration = std::chrono::minutes(4);
  present_.Put({.description = other});
  EXPECT_THAT(Steps(), IsEmpty());

  other.max_delivery_count = 4;
  present_.Put({.description = other});
  EXPECT_THAT(Steps(), ElementsAre("update q"));
}

TEST_F(DifferenceTest, WhatForwardsToALaterOneIsMadeWithoutAndChanged) {
  Want(Queues(R"({"Name": "a", "Properties": {"ForwardTo": "B"}}, {"Name": "b"},
                 {"Name": "c", "Properties": {"ForwardTo": "a"}})"));

  EXPECT_THAT(Steps(), ElementsAre("create a", "create b", "create c -> a", "update a"));
  EXPECT_THAT(complaints_.Lines(), IsEmpty());
}

TEST_F(DifferenceTest, WhatForwardsToNothingIsRefused) {
  Want(Queues(R"({"Name": "a", "Properties": {"ForwardTo": "ordres"}}, {"Name": "orders"})"));
  Steps();

  EXPECT_THAT(complaints_.Lines(),
              ElementsAre(AllOf(HasSubstr("c.json:1: UserConfig.Namespaces[0].Queues[0] forwards "
                                          "to 'ordres', which is not there"),
                                HasSubstr("did you mean 'orders'?"))));
}

TEST_F(DifferenceTest, WhatIsFixedIsRefusedByItsName) {
  for (const char* property :
       {"RequiresSession", "RequiresDuplicateDetection", "EnablePartitioning"}) {
    complaints_ = {};
    Want(OfQueue("{\"" + std::string(property) + "\": true}"));
    present_.Put({.description = {.name = "q"}});

    EXPECT_THAT(Steps(), IsEmpty());
    EXPECT_THAT(complaints_.Lines(),
                ElementsAre(AllOf(HasSubstr("Queues[0].Properties." + std::string(property)),
                                  HasSubstr("cannot be changed"), HasSubstr("delete 'q'"))));
  }
}

TEST_F(DifferenceTest, AnotherKindOfThatNameIsRefused) {
  Want(OfQueue("{}"));
  present_.Put({.kind = EntityKind::kTopic, .description = {.name = "Q"}});

  EXPECT_THAT(Steps(), IsEmpty());
  EXPECT_THAT(complaints_.Lines(),
              ElementsAre(HasSubstr("is a queue, and the data folder has a topic of this name")));
}

TEST_F(DifferenceTest, RulesAreAddedAndReplacedAndOthersStay) {
  Want(OfRule(Sql("a", "x = 1") + "," + Sql("b", "x = 2")));
  Have();
  present_.PutRule(kPath, {.name = "mine", .filter = SqlText{.text = "y = 1"}});
  EXPECT_THAT(Steps(), IsEmpty());

  Want(OfRule(Sql("a", "x = 3") + "," + Sql("c", "x = 2")));
  EXPECT_THAT(Steps(), ElementsAre("update a of " + kPath, "add c to " + kPath));
}

TEST_F(DifferenceTest, ASubscriptionThatGetsRulesLosesTheOneThatLetsAllThrough) {
  Want(OfRule(Sql("a", "x = 1")));
  for (const WantedEntity& each : wanted_.entities) {
    present_.Put({.kind = each.kind, .description = each.description});
  }
  present_.PutRule(kPath, {.name = "$Default"});
  EXPECT_THAT(Steps(), ElementsAre("add a to " + kPath, "remove $Default of " + kPath));

  present_.PutRule(kPath, {.name = "$Default", .filter = SqlText{.text = "y = 1"}});
  EXPECT_THAT(Steps(), ElementsAre("add a to " + kPath));
}

TEST_F(DifferenceTest, TheFirstRuleIsTheSubscriptionsAndTheOthersCome) {
  Want(OfRule(Sql("a", "x = 1") + "," + Sql("b", "x = 2")));

  EXPECT_THAT(Steps(), ElementsAre("create t", "create " + kPath + " with a", "add b to " + kPath));
}

}  // namespace
}  // namespace wharf::emulator
