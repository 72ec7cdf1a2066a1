#include "broker/schema/garbage_rules.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/log/ordered_writes.h"
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

// What is not here goes by writes alone: bodies, because their keys do not say who uses them; rows
// in `delivery`, because what is in a span has none; offers, because they stand for later messages.
TEST(GarbageRulesTest, WhatACompactionMayDropIsInThisList) {
  ViewLedger views;
  Garbage garbage(views);
  std::vector<std::string> by_time;
  std::vector<std::string> by_spans;
  for (const TableOptions& table : BrokerTables(garbage)) {
    if (!table.garbage) continue;
    EXPECT_EQ(table.garbage->needs_value, table.garbage->by_age) << table.name;
    // Either age makes files be rewritten, or what lies in them.
    EXPECT_NE(table.garbage->ranges != nullptr, table.garbage->by_age) << table.name;
    (table.garbage->by_age ? by_time : by_spans).push_back(table.name);
  }

  EXPECT_THAT(by_time, ElementsAre("duplicates", "outcomes", "events"));
  EXPECT_THAT(by_spans, ElementsAre("messages", "order"));
}

TEST(GarbageRulesTest, JudgesGoByTheTimeThatIsCommittedWhenTheyAreAsked) {  // DUP-5, TXX-1
  ViewLedger views;
  Garbage garbage(views);
  const TableSet tables = BrokerTables(garbage);
  const auto duplicates = tables[IdOf(Table::kDuplicates)].garbage->make_judge();
  const auto outcomes = tables[IdOf(Table::kOutcomes)].garbage->make_judge();
  const std::string duplicate = EncodeDuplicate({SequenceNumber(1), kNow, false});
  const std::string outcome = EncodeTransaction({.id = "tx", .forget_after = kNow});

  garbage.OnApplied({.time = kNow - seconds(1)});
  EXPECT_FALSE(duplicates->IsGarbage("key", duplicate));
  EXPECT_FALSE(outcomes->IsGarbage("key", outcome));
  garbage.OnApplied({.time = kNow});
  EXPECT_TRUE(duplicates->IsGarbage("key", duplicate));
  EXPECT_TRUE(outcomes->IsGarbage("key", outcome));
}

// Over a store on disk, whose compactions ask.
class GarbageOnDiskTest : public ::testing::Test {
 protected:
  GarbageOnDiskTest() { Open(); }

  void Open() {
    store_ = RocksStore::Open(
                 {.path = folder_.path(), .tables = BrokerTables(*garbage_), .views = &views_})
                 .value();
  }
  void Close() {
    store_.reset();
    garbage_.emplace(views_);
  }
  // One commit; what it writes is in a file of its own.
  void Commit(const WriteBatch& batch) {
    OrderedWrites writes;
    ASSERT_TRUE(batch.Visit(BrokerTables(), writes).ok());
    garbage_->OnApplying(writes.notes());
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    garbage_->OnApplied(writes.notes());
    ASSERT_TRUE(store_->Flush().ok());
  }
  void Put(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(IdOf(table), key, value);
    Commit(batch);
  }
  void PutSpan(std::uint64_t first, std::uint64_t last) {
    const Span span{SequenceNumber(first), SequenceNumber(last), kNow, {}};
    Put(Table::kSpans, SpanKey(kShelf, span.first), EncodeSpan(span));
  }
  static std::string KeyOf(std::uint64_t number) {
    return MessageKey(kShelf, SequenceNumber(number));
  }
  // As many files as start a compaction.
  void PutMessages() {
    for (std::uint64_t number = 1; number <= 6; ++number) {
      Put(Table::kMessages, KeyOf(number), "a message");
    }
  }
  static bool Has(const StoreView& view, Table table, const std::string& key) {
    return view.Get(IdOf(table), key).value().has_value();
  }
  bool Has(Table table, const std::string& key) { return Has(*store_->View(), table, key); }

  static inline const Shelf kShelf{EntityId(7), LaneKind::kMain, 5};
  const TempFolder folder_;
  ViewLedger views_;
  std::optional<Garbage> garbage_{std::in_place, views_};
  std::unique_ptr<RocksStore> store_;
};

// A start may compact before it knows of any commit.
TEST_F(GarbageOnDiskTest, UntilACommitSaysSoAStartKeepsAll) {
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    Put(Table::kDuplicates, key, EncodeDuplicate({SequenceNumber(1), kNow, false}));
  }

  Close();
  Open();
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_TRUE(Has(Table::kDuplicates, "a"));
  EXPECT_TRUE(Has(Table::kDuplicates, "f"));
  garbage_->OnApplied({.time = kNow});
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_FALSE(Has(Table::kDuplicates, "a"));
  EXPECT_FALSE(Has(Table::kDuplicates, "f"));
}

TEST_F(GarbageOnDiskTest, UntilSpansAreLoadedAStartKeepsWhatTheyCover) {
  const ViewLedger::Ticket before(views_);
  PutMessages();
  PutSpan(1, 5);

  Close();
  Open();
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_TRUE(Has(Table::kMessages, KeyOf(1)));
}

TEST_F(GarbageOnDiskTest, WhatSpansCoverIsDroppedByAndBy) {
  PutMessages();
  Close();
  Open();
  PutSpan(1, 5);

  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_FALSE(Has(Table::kMessages, KeyOf(1)));
  EXPECT_FALSE(Has(Table::kMessages, KeyOf(5)));
  EXPECT_TRUE(Has(Table::kMessages, KeyOf(6)));
}

TEST_F(GarbageOnDiskTest, ALoadedSpanCountsAsACommittedOne) {
  {
    const ViewLedger::Ticket before(views_);
    PutMessages();
    PutSpan(1, 5);
    Close();
  }
  Open();
  ASSERT_TRUE(garbage_->Load(*store_).ok());

  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_FALSE(Has(Table::kMessages, KeyOf(1)));
  EXPECT_TRUE(Has(Table::kMessages, KeyOf(6)));
}

// RocksDB asks filters about rows that a snapshot still sees.
TEST_F(GarbageOnDiskTest, AnOpenViewKeepsItsMessagesWhateverIsCompacted) {
  PutMessages();
  auto view = store_->View();
  ASSERT_TRUE(Has(*view, Table::kMessages, KeyOf(1)));
  PutSpan(1, 5);

  for (std::uint64_t number = 1; number <= 6; ++number) {
    ASSERT_TRUE(store_->CompactAll().ok());
    EXPECT_TRUE(Has(*view, Table::kMessages, KeyOf(number)));
  }
  view.reset();
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_FALSE(Has(Table::kMessages, KeyOf(1)));
}

}  // namespace
}  // namespace wharf
