#include "broker/schema/access_loader.h"

#include <gtest/gtest.h>

#include "broker/access/access_key.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "storage/log/ordered_writes.h"
#include "storage/memory/memory_store.h"
#include "tests/access/sample_rules.h"

namespace wharf {
namespace {

constexpr EntityId kOrders{7};

WriteBatch BatchOf(const Change& change) {
  Changes changes;
  changes.push_back(change);
  WriteBatch batch;
  Encode(changes, batch);
  return batch;
}

AccessRuleSet RuleOf(EntityId entity, const std::string& name) {
  return {entity, access::SampleRule(name, access::Right::kListen)};
}

EntityCreated Orders() {
  EntityRecord record;
  record.id = kOrders;
  record.description.name = "Shop/Orders";
  return {record};
}

bool ChangesAccess(const Change& change) {
  OrderedWrites writes;
  EXPECT_TRUE(BatchOf(change).Visit(BrokerTables(), writes).ok());
  return wharf::ChangesAccess(writes.notes());
}

class AccessLoaderTest : public ::testing::Test {
 protected:
  void Apply(const Change& change) { ASSERT_TRUE(store_.Apply(BatchOf(change)).ok()); }

  MemoryStore store_{BrokerTables()};
};

TEST_F(AccessLoaderTest, ANewStoreHasNoRules) { EXPECT_EQ(LoadAccessBook(store_)->size(), 0U); }

TEST_F(AccessLoaderTest, RulesStandUnderTheFoldedNameOfWhatTheyBelongTo) {
  Apply(Orders());
  Apply(RuleOf(EntityId(), "root"));
  Apply(RuleOf(kOrders, "reader"));

  const Result<access::Book> book = LoadAccessBook(store_);

  ASSERT_TRUE(book.ok());
  EXPECT_EQ(book->size(), 2U);
  ASSERT_NE(book->Find("", "root"), nullptr);
  ASSERT_NE(book->Find("shop/orders", "reader"), nullptr);
  EXPECT_TRUE(book->Find("", "root")->HasKey(access::PrintOf(access::kKeyOne)));
}

TEST_F(AccessLoaderTest, ARuleWhoseQueueIsGoneLetsNobodyIn) {
  Apply(RuleOf(kOrders, "reader"));

  EXPECT_EQ(LoadAccessBook(store_)->size(), 0U);
}

TEST_F(AccessLoaderTest, ARuleThatCannotBeReadIsAnError) {
  WriteBatch batch;
  batch.Put(IdOf(Table::kAccess), "no such key", "no record");
  ASSERT_TRUE(store_.Apply(batch).ok());

  EXPECT_EQ(LoadAccessBook(store_).status().code(), ErrorCode::kGeneralError);
}

TEST_F(AccessLoaderTest, WhatChangesARuleSaysSoToWhoeverAppliesIt) {
  EXPECT_TRUE(ChangesAccess(RuleOf(kOrders, "reader")));
  EXPECT_TRUE(ChangesAccess(AccessRuleRemoved{kOrders, "reader"}));
  EXPECT_FALSE(ChangesAccess(Orders()));
}

}  // namespace
}  // namespace wharf
