#include "tools/wharf/entities/topic_property_list.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "wharf/v1/topics.pb.h"

namespace wharf::tool {
namespace {

std::set<std::string> FieldsOf(const google::protobuf::Descriptor& type,
                               const std::set<std::string>& but) {
  std::set<std::string> fields;
  for (int i = 0; i < type.field_count(); ++i) {
    if (!but.contains(type.field(i)->name())) fields.insert(type.field(i)->name());
  }
  return fields;
}

std::set<std::string> NamesIn(std::span<const PropertyHelp> properties) {
  std::set<std::string> names;
  for (const PropertyHelp& property : properties) names.emplace(property.field);
  return names;
}

TEST(TopicPropertyListTest, EveryPropertyOfTheApiHasAnOption) {
  EXPECT_EQ(NamesIn(AllTopicProperties()),
            FieldsOf(*v1::TopicProperties::descriptor(), {"name", "etag"}));
}

TEST(TopicPropertyListTest, SoHasEveryPropertyOfASubscription) {
  // The retry policy has options of its own.
  EXPECT_EQ(NamesIn(AllSubscriptionProperties()),
            FieldsOf(*v1::SubscriptionProperties::descriptor(),
                     {"topic", "name", "retry_policy", "etag"}));
}

TEST(TopicPropertyListTest, WhatIsFixedAtCreationCanBeKept) {  // EPR-31
  v1::SubscriptionProperties current;
  current.set_requires_session(true);
  current.set_max_delivery_count(3);
  v1::SubscriptionProperties subscription;

  KeepFixedProperties(AllSubscriptionProperties(), current, subscription);

  EXPECT_TRUE(subscription.requires_session());
  EXPECT_FALSE(subscription.has_max_delivery_count());
}

}  // namespace
}  // namespace wharf::tool
