#include "broker/schema/garbage_rules.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr Timestamp kNow{std::chrono::hours(1)};

// Whoever adds a table says what of it is garbage.
TEST(GarbageRulesTest, EachTableHasARule) {
  ASSERT_EQ(GarbageRules().size(), BrokerTables().size());
  for (std::size_t id = 0; id < GarbageRules().size(); ++id) {
    EXPECT_EQ(IdOf(GarbageRules()[id].table), id) << BrokerTables()[id].name;
  }
}

TEST(GarbageRulesTest, ForgottenMessageIdsAndOutcomesAreGarbageAndNothingElse) {
  const Garbage garbage;
  std::vector<std::string> dropped;
  for (const TableOptions& table : BrokerTables(garbage)) {
    if (!table.garbage) continue;
    dropped.push_back(table.name);
    EXPECT_TRUE(table.garbage->needs_value);
    EXPECT_TRUE(table.garbage->by_age);
  }

  EXPECT_THAT(dropped, ElementsAre("duplicates", "outcomes"));
}

TEST(GarbageRulesTest, JudgesGoByTheTimeThatIsCommittedWhenTheyAreAsked) {  // DUP-5, TXX-1
  Garbage garbage;
  const TableSet tables = BrokerTables(garbage);
  const auto duplicates = tables[IdOf(Table::kDuplicates)].garbage->make_judge();
  const auto outcomes = tables[IdOf(Table::kOutcomes)].garbage->make_judge();
  const std::string duplicate = EncodeDuplicate({SequenceNumber(1), kNow, false});
  const std::string outcome = EncodeTransaction({.id = "tx", .forget_after = kNow});

  garbage.NoteCommitted(kNow - seconds(1));
  EXPECT_FALSE(duplicates->IsGarbage("key", duplicate));
  EXPECT_FALSE(outcomes->IsGarbage("key", outcome));
  garbage.NoteCommitted(kNow);
  EXPECT_TRUE(duplicates->IsGarbage("key", duplicate));
  EXPECT_TRUE(outcomes->IsGarbage("key", outcome));
}

// A start may compact before it knows of any commit.
TEST(GarbageRulesTest, UntilACommitSaysSoAStartKeepsAll) {
  constexpr TableId kDuplicates = IdOf(Table::kDuplicates);
  const TempFolder folder;
  Garbage garbage;
  const auto open = [&] {
    return RocksStore::Open({.path = folder.path(), .tables = BrokerTables(garbage)}).value();
  };
  {
    const auto store = open();
    for (const char* key :
         {"a", "b", "c", "d", "e", "f"}) {  // As many files as start a compaction.
      WriteBatch batch;
      batch.Put(kDuplicates, key, EncodeDuplicate({SequenceNumber(1), kNow, false}));
      ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
      ASSERT_TRUE(store->Flush().ok());
    }
  }
  const auto has = [](const RocksStore& store, const char* key) {
    return store.View()->Get(kDuplicates, key).value().has_value();
  };

  const auto store = open();
  ASSERT_TRUE(store->CompactAll().ok());
  EXPECT_TRUE(has(*store, "a"));
  EXPECT_TRUE(has(*store, "f"));
  garbage.NoteCommitted(kNow);
  ASSERT_TRUE(store->CompactAll().ok());
  EXPECT_FALSE(has(*store, "a"));
  EXPECT_FALSE(has(*store, "f"));
}

}  // namespace
}  // namespace wharf
