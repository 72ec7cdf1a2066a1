#include "tools/wharf/entities/queue_property_list.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

TEST(QueuePropertyListTest, EveryPropertyOfTheApiHasAnOption) {
  std::set<std::string> fields;
  const auto* descriptor = v1::QueueProperties::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) fields.insert(descriptor->field(i)->name());
  fields.erase("name");
  fields.erase("etag");          // The broker's.
  fields.erase("retry_policy");  // It has options of its own.

  std::set<std::string> listed;
  for (const PropertyHelp& property : AllQueueProperties()) {
    listed.emplace(property.field);
  }

  EXPECT_EQ(listed, fields);
}

class QueuePropertyOptionsTest : public testing::Test {
 protected:
  QueuePropertyOptionsTest() { AddQueuePropertyOptions(app_, /*is_creation=*/true, given_); }

  void Parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    app_.parse(arguments);
  }

  CLI::App app_;
  GivenProperties given_;
};

TEST_F(QueuePropertyOptionsTest, OnlyWhatIsGivenChanges) {
  v1::QueueProperties queue;
  queue.set_max_delivery_count(3);
  queue.set_user_metadata("kept");

  Parse({"--max-delivery-count", "5", "--lock-duration", "90s"});
  Apply(given_, queue);

  EXPECT_EQ(queue.max_delivery_count(), 5);
  EXPECT_EQ(queue.lock_duration().seconds(), 90);
  EXPECT_EQ(queue.user_metadata(), "kept");
}

TEST_F(QueuePropertyOptionsTest, ABadValueIsBadUsage) {
  EXPECT_THROW(Parse({"--lock-duration", "soon"}), CLI::ValidationError);
}

TEST_F(QueuePropertyOptionsTest, WhatIsFixedAtCreationCanBeKept) {
  v1::QueueProperties current;
  current.set_requires_session(true);
  current.set_max_delivery_count(3);
  v1::QueueProperties queue;

  KeepFixedProperties(current, queue);

  EXPECT_TRUE(queue.requires_session());
  EXPECT_FALSE(queue.has_max_delivery_count());
}

}  // namespace
}  // namespace wharf::tool
