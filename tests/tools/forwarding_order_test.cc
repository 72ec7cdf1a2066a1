#include "tools/wharf/definitions/forwarding_order.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ForwardingOrderTest : public testing::Test {
 protected:
  void Queue(const std::string& name, const std::string& forward_to = "",
             const std::string& dead_letters_to = "") {
    QueueDefinition queue;
    queue.properties.set_name(name);
    queue.properties.set_forward_to(forward_to);
    queue.properties.set_forward_dead_lettered_messages_to(dead_letters_to);
    definitions_.queues.push_back(queue);
  }
  // Each subscription is named after where it forwards to.
  void Topic(const std::string& name, const std::vector<std::string>& targets) {
    TopicDefinition topic;
    topic.properties.set_name(name);
    for (const std::string& target : targets) {
      SubscriptionDefinition subscription;
      subscription.properties.set_topic(name);
      subscription.properties.set_name(target);
      subscription.properties.set_forward_to(target);
      topic.subscriptions.push_back(subscription);
    }
    definitions_.topics.push_back(topic);
  }

  std::vector<std::string> Names(const std::vector<std::size_t>& places) const {
    const std::vector<EntityView> all = EntitiesOf(definitions_);
    std::vector<std::string> names;
    for (const std::size_t place : places) names.push_back(all[place].path);
    return names;
  }
  std::vector<std::string> Order() const { return Names(OrderOf(EntitiesOf(definitions_)).places); }
  std::vector<std::string> Circle() const {
    return Names(OrderOf(EntitiesOf(definitions_)).circle);
  }

  Definitions definitions_;
};

TEST_F(ForwardingOrderTest, TargetsComeBeforeWhatForwards) {  // FWD-2
  Queue("a", "b");
  Queue("b", "C");
  Queue("c");
  EXPECT_THAT(Order(), ElementsAre("c", "b", "a"));
  EXPECT_THAT(Circle(), IsEmpty());
}

TEST_F(ForwardingOrderTest, ATopicIsReadyWithItsSubscriptions) {
  Queue("a", "t");
  Queue("z");
  Topic("t", {"z"});
  EXPECT_THAT(Order(), ElementsAre("z", "t", "t/Subscriptions/z", "a"));
}

TEST_F(ForwardingOrderTest, TargetsOfDeadLettersComeFirstWhereTheyCan) {
  Queue("a", "", "b");
  Queue("b");
  EXPECT_THAT(Order(), ElementsAre("b", "a"));
}

TEST_F(ForwardingOrderTest, ACircleOverDeadLettersHasAnOrder) {
  Queue("a", "b");
  Queue("b", "", "a");
  EXPECT_THAT(Order(), ElementsAre("b", "a"));
  EXPECT_THAT(Circle(), IsEmpty());
}

TEST_F(ForwardingOrderTest, ACircleIsTold) {  // FWD-3
  Queue("a", "b");
  Queue("b", "t");
  Queue("outside", "a");
  Topic("t", {"a"});
  EXPECT_THAT(Circle(), UnorderedElementsAre("a", "b", "t/Subscriptions/a"));
}

TEST_F(ForwardingOrderTest, ASubscriptionCannotForwardToItsTopic) {
  Topic("t", {"t"});
  EXPECT_THAT(Circle(), ElementsAre("t/Subscriptions/t"));
}

TEST_F(ForwardingOrderTest, WhatIsNotThereIsPassedOver) {
  Queue("a", "elsewhere", "nowhere");
  EXPECT_THAT(Order(), ElementsAre("a"));
}

}  // namespace
}  // namespace wharf::tool
