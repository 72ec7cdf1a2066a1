// What every store promises, checked on each of them.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr TableId kFirst = 0;
constexpr TableId kSecond = 1;

// A store, and the way in for its writes.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Store& store() = 0;
  virtual Status Write(const WriteBatch& batch) = 0;
};

class MemoryUnderTest final : public StoreUnderTest {
 public:
  Store& store() override { return store_; }
  Status Write(const WriteBatch& batch) override { return store_.Apply(batch); }

 private:
  MemoryStore store_;
};

class RocksUnderTest final : public StoreUnderTest {
 public:
  explicit RocksUnderTest(std::optional<StatePositionRow> position) {
    const TableSet tables = {{.name = "first", .in_blob_files = true},
                             {.name = "second", .is_queue = true}};
    store_ =
        RocksStore::Open({.path = folder_.path(), .tables = tables, .position = position}).value();
  }
  Store& store() override { return *store_; }
  Status Write(const WriteBatch& batch) override {
    return store_->Write({&batch, 1}, RocksStore::Sync::kYes);
  }

 private:
  TempFolder folder_;
  std::unique_ptr<RocksStore> store_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>()> make;
};

class StoreContract : public ::testing::TestWithParam<Kind> {
 protected:
  StoreUnderTest& under_test() { return *under_test_; }
  Store& store() { return under_test_->store(); }

  void Write(const WriteBatch& batch) { ASSERT_TRUE(under_test_->Write(batch).ok()); }

  void Put(TableId table, const std::vector<std::string>& keys) {
    WriteBatch batch;
    for (const std::string& key : keys) batch.Put(table, key, "value of " + key);
    Write(batch);
  }

  static Rows Read(StoreCursor& cursor) {
    Rows rows;
    for (; cursor.valid(); cursor.Next()) rows.emplace_back(cursor.key(), cursor.value());
    EXPECT_TRUE(cursor.status().ok());
    return rows;
  }

  static std::vector<std::string> Keys(const StoreView& view, TableId table,
                                       const KeyRange& range) {
    std::vector<std::string> keys;
    for (auto& row : Read(*view.Scan(table, range))) keys.push_back(row.first);
    return keys;
  }

  std::vector<std::string> Keys(TableId table) { return Keys(*store().View(), table, {"", "~"}); }

 private:
  std::unique_ptr<StoreUnderTest> under_test_ = GetParam().make();
};

TEST_P(StoreContract, GetFindsWhatWasPutAndNothingElse) {
  Put(kFirst, {"a"});

  const auto view = store().View();

  EXPECT_EQ(view->Get(kFirst, "a").value(), "value of a");
  EXPECT_EQ(view->Get(kFirst, "b").value(), std::nullopt);
  EXPECT_EQ(view->Get(kSecond, "a").value(), std::nullopt);
}

TEST_P(StoreContract, LastPutOfAKeyCounts) {
  WriteBatch batch;
  batch.Put(kFirst, "a", "old");
  batch.Put(kFirst, "a", "new");
  Write(batch);

  EXPECT_EQ(store().View()->Get(kFirst, "a").value(), "new");
}

TEST_P(StoreContract, EmptyAndLargeAndBinaryValuesComeBack) {
  const std::string large(100'000, '\x7F');
  const std::string binary("\0\xFF\0", 3);
  WriteBatch batch;
  batch.Put(kFirst, "empty", "");
  batch.Put(kFirst, "large", large);
  batch.Put(kFirst, binary, binary);
  Write(batch);

  const auto view = store().View();

  EXPECT_EQ(view->Get(kFirst, "empty").value(), "");
  EXPECT_EQ(view->Get(kFirst, "large").value(), large);
  EXPECT_EQ(view->Get(kFirst, binary).value(), binary);
}

TEST_P(StoreContract, ScanWalksTheRangeInOrderOfKeys) {
  Put(kFirst, {"d", "b", "a", "c", "e"});
  Put(kSecond, {"bb"});

  const auto view = store().View();

  EXPECT_THAT(Read(*view->Scan(kFirst, {"b", "d"})),
              ElementsAre(Pair("b", "value of b"), Pair("c", "value of c")));
  EXPECT_THAT(Keys(*view, kFirst, {"", "a"}), IsEmpty());
  EXPECT_THAT(Keys(*view, kFirst, {"d", "~"}), ElementsAre("d", "e"));
  EXPECT_THAT(Keys(*view, kFirst, {"d", "b"}), IsEmpty());
  EXPECT_THAT(Keys(*view, kFirst, {"c", "c"}), IsEmpty());
}

TEST_P(StoreContract, SeekStaysInsideTheRange) {
  Put(kFirst, {"a", "b", "c", "d", "e"});
  const auto view = store().View();
  const auto cursor = view->Scan(kFirst, {"b", "d"});

  cursor->Seek("c");
  EXPECT_EQ(cursor->key(), "c");
  cursor->Seek("a");
  EXPECT_EQ(cursor->key(), "b");
  cursor->Seek("bb");
  EXPECT_EQ(cursor->key(), "c");
  cursor->Seek("d");
  EXPECT_FALSE(cursor->valid());
  cursor->Seek("z");
  EXPECT_FALSE(cursor->valid());
  cursor->Seek("b");
  EXPECT_THAT(Read(*cursor), ElementsAre(Pair("b", "value of b"), Pair("c", "value of c")));
}

TEST_P(StoreContract, ViewAndItsCursorsSeeOneInstant) {
  Put(kFirst, {"a", "b"});
  auto view = store().View();
  const auto early = view->Scan(kFirst, {"", "~"});

  WriteBatch batch;
  batch.Delete(kFirst, "a");
  batch.Put(kFirst, "b", "changed");
  batch.Put(kFirst, "c", "new");
  Write(batch);
  const auto late = view->Scan(kFirst, {"", "~"});

  const auto as_it_was = ElementsAre(Pair("a", "value of a"), Pair("b", "value of b"));
  EXPECT_EQ(view->Get(kFirst, "a").value(), "value of a");
  EXPECT_THAT(Read(*early), as_it_was);
  EXPECT_THAT(Read(*late), as_it_was);
  EXPECT_THAT(Keys(kFirst), ElementsAre("b", "c"));
}

TEST_P(StoreContract, DeleteAndSingleDeleteRemoveOneRow) {
  Put(kFirst, {"a", "b", "c", "d"});

  WriteBatch batch;
  batch.Delete(kFirst, "b");
  batch.SingleDelete(kFirst, "c");
  batch.Delete(kFirst, "not there");
  batch.Delete(kSecond, "d");
  Write(batch);

  EXPECT_THAT(Keys(kFirst), ElementsAre("a", "d"));
}

TEST_P(StoreContract, DeleteRangeLeavesItsEnd) {
  Put(kFirst, {"a", "b", "c", "d"});
  Put(kSecond, {"b"});

  WriteBatch batch;
  batch.DeleteRange(kFirst, "b", "d");
  Write(batch);

  EXPECT_THAT(Keys(kFirst), ElementsAre("a", "d"));
  EXPECT_THAT(Keys(kSecond), ElementsAre("b"));
}

TEST_P(StoreContract, ABatchThatCannotBeAppliedIsRefusedWhole) {
  Put(kFirst, {"a", "b", "c"});

  WriteBatch batch;
  batch.Delete(kFirst, "a");
  batch.DeleteRange(kFirst, "c", "b");
  EXPECT_FALSE(under_test().Write(batch).ok());

  EXPECT_THAT(Keys(kFirst), ElementsAre("a", "b", "c"));
  Put(kFirst, {"d"});
  EXPECT_THAT(Keys(kFirst), ElementsAre("a", "b", "c", "d"));
}

TEST_P(StoreContract, WritesOfABatchHappenInTheirOrder) {
  Put(kFirst, {"a", "b"});

  WriteBatch batch;
  batch.DeleteRange(kFirst, "a", "c");
  batch.Put(kFirst, "b", "again");
  batch.Put(kFirst, "c", "short-lived");
  batch.Delete(kFirst, "c");
  Write(batch);

  EXPECT_THAT(Read(*store().View()->Scan(kFirst, {"", "~"})), ElementsAre(Pair("b", "again")));
}

TEST_P(StoreContract, BrokenBatchChangesNothing) {
  Put(kFirst, {"a"});
  WriteBatch good;
  good.Put(kFirst, "b", "half of a batch");

  EXPECT_FALSE(under_test().Write(WriteBatch(good.bytes() + "\xFF")).ok());

  EXPECT_THAT(Keys(kFirst), ElementsAre("a"));
}

INSTANTIATE_TEST_SUITE_P(
    All, StoreContract,
    ::testing::Values(Kind{"MemoryStore", [] { return std::make_unique<MemoryUnderTest>(); }},
                      Kind{"RocksStore",
                           [] { return std::make_unique<RocksUnderTest>(std::nullopt); }},
                      Kind{"ReplicatedStore",
                           [] { return std::make_unique<RocksUnderTest>(StatePositionRow()); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wharf
