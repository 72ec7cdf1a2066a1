// What compactions drop, and what RocksDB makes of it: in which way a row goes, which values are
// read for it, and when files are rewritten at all.

#include "storage/rocks/garbage_filter.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_system.h>

#include "storage/base/random.h"
#include "storage/rocks/rocks_options.h"
#include "storage/rocks/rocks_store.h"
#include "tests/from_environment.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"
#include "tests/storage/function_judge.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOStatus;

// RocksDB with one of our tables, which compacts what it is told, from and to any level.
class OneTable {
 public:
  explicit OneTable(TableOptions table) {
    const RocksStoreOptions options = {.path = folder_.path(), .tables = {std::move(table)}};
    auto families = MakeColumnFamilies(options, std::make_shared<DroppedRows>(0), NeighbourHints());
    for (auto& family : families) {
      family.options.disable_auto_compactions = true;
      family.options.level_compaction_dynamic_level_bytes = false;  // It would fill none but some.
    }
    rocksdb::DB* opened = nullptr;
    Expect(rocksdb::DB::Open(MakeDbOptions(options), folder_.path(), families, &tables_, &opened));
    db_.reset(opened);
  }
  ~OneTable() {
    for (auto* table : tables_) db_->DestroyColumnFamilyHandle(table);
  }

  void Put(const std::string& key) { Expect(db_->Put({}, table(), key, "value")); }
  void SingleDelete(const std::string& key) { Expect(db_->SingleDelete({}, table(), key)); }
  void DeleteRange(const std::string& key) {
    Expect(db_->DeleteRange({}, table(), key, key + '\0'));
  }
  bool Has(const std::string& key) {
    std::string value;
    return db_->Get({}, table(), key, &value).ok();
  }

  void Flush() { Expect(db_->Flush({}, table())); }
  // One file of the level, and what must come with it.
  void Compact(int level, int to) {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.level != level || file.column_family_name != table()->GetName()) continue;
      rocksdb::CompactionOptions options;
      options.compression = rocksdb::kDisableCompressionOption;
      return Expect(db_->CompactFiles(options, table(), {file.name}, to));
    }
  }
  void CompactAll() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    Expect(db_->CompactRange(options, table(), nullptr, nullptr));
  }
  rocksdb::Options options() { return db_->GetOptions(table()); }

 private:
  static void Expect(const rocksdb::Status& status) {
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  rocksdb::ColumnFamilyHandle* table() { return tables_[1]; }

  TempFolder folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> tables_;
};

// Rows of a table with single deletions that are put, become garbage and are deleted, while files
// are flushed and rewritten from any level to any deeper one.
class SingleDeletions {
 public:
  explicit SingleDeletions(std::uint64_t seed) : random_(seed) {}

  void Step() {
    switch (random_.Next() % 8) {
      case 0:
        return rows_.Flush();
      case 1:
      case 2:
        return Compact();
      default:
        return ChangeOne("row " + std::to_string(random_.Next() % kRows));
    }
  }

  // When everything was rewritten there is what lives, and nothing else.
  void Check() {
    rows_.CompactAll();
    for (const auto& [key, state] : states_) {
      EXPECT_EQ(rows_.Has(key), state == State::kAlive) << key;
    }
  }

 private:
  enum class State { kGone, kAlive, kGarbage };
  static constexpr std::uint64_t kRows = 6;
  static constexpr int kBottom = 6;

  void Compact() {
    const int level = static_cast<int>(random_.Next() % (kBottom + 1));
    const int below =
        level == kBottom ? 0 : 1 + static_cast<int>(random_.Next() % (kBottom - level));
    rows_.Compact(level, level + below);
  }

  void ChangeOne(const std::string& key) {
    State& state = states_[key];
    if (state == State::kGone) {
      state = State::kAlive;
      return rows_.Put(key);
    }
    if (state == State::kAlive && random_.Next() % 2 == 0) {
      state = State::kGarbage;
      return;
    }
    Delete(key, state);
  }

  // Dead for the judge as well until it is put again.
  void Delete(const std::string& key, State& state) {
    state = State::kGone;
    if (random_.Next() % 4 == 0) return rows_.DeleteRange(key);
    rows_.SingleDelete(key);
  }

  bool IsGarbage(std::string_view key) const {
    const auto state = states_.find(key);
    return state != states_.end() && state->second == State::kGarbage;
  }

  SeededRandom random_;
  std::map<std::string, State, std::less<>> states_;
  OneTable rows_{{.name = "messages",
                  .is_queue = true,
                  .is_deleted_singly = true,
                  .garbage = JudgedByKey([this](auto key, auto) { return IsGarbage(key); })}};
};

TEST(GarbageFilterTest, WhatIsDroppedMayBeDeletedSinglyAtAnyLevelAndInAnyOrder) {
  const std::uint64_t seeds = FromEnvironment("WHARF_ROUNDS", 5);
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    const SeedNote note(fmt::format("seed {}", seed));
    SingleDeletions rows(seed);
    for (int step = 0; step < 150 && !::testing::Test::HasFailure(); ++step) rows.Step();
    rows.Check();
  }
}

// A drop that ends above older versions leaves a deletion; that of another kind would be damage.
TEST(GarbageFilterTest, ASingleDeletionMeetsWhatADropHasLeft) {
  bool is_dead = false;
  OneTable rows({.name = "messages",
                 .is_deleted_singly = true,
                 .garbage = JudgedByKey([&is_dead](auto, auto) { return is_dead; })});
  rows.Put("a");
  rows.Flush();
  rows.Compact(0, 6);
  rows.SingleDelete("a");
  rows.Flush();
  rows.Compact(0, 5);
  rows.Put("a");
  rows.Flush();

  is_dead = true;
  rows.Compact(0, 4);
  rows.SingleDelete("a");
  rows.Flush();
  rows.Compact(0, 4);
  rows.Compact(4, 5);
  rows.Compact(5, 6);

  EXPECT_FALSE(rows.Has("a"));
}

TEST(GarbageFilterTest, WhatIsDroppedMayBeDeletedInATableOfPlainDeletions) {
  OneTable rows({.name = "order", .garbage = JudgedByKey([](auto, auto) { return true; })});
  rows.Put("a");
  rows.Put("b");
  rows.Flush();
  rows.Compact(0, 4);
  EXPECT_FALSE(rows.Has("a"));
  rows.CompactAll();
  EXPECT_FALSE(rows.Has("b"));
}

TEST(GarbageFilterTest, FilesAreRewrittenByAgeOnlyWhereTheTableSaysSo) {
  GarbageOptions by_age = JudgedByValue([](auto, auto) { return false; });
  by_age.by_age = true;
  OneTable plain({.name = "plain"});
  OneTable judged({.name = "judged", .garbage = JudgedByKey([](auto, auto) { return false; })});
  OneTable aged({.name = "aged", .garbage = by_age});

  EXPECT_EQ(plain.options().periodic_compaction_seconds, 0U);
  EXPECT_EQ(judged.options().periodic_compaction_seconds, 0U);
  EXPECT_EQ(aged.options().periodic_compaction_seconds, 12U * 60 * 60);
  for (OneTable* table : {&plain, &judged, &aged}) EXPECT_EQ(table->options().ttl, 0U);
}

// Files that it may not read from are those with large values.
class BlindFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  BlindFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  void Blind() { is_blind_ = true; }

  const char* Name() const override { return "BlindFileSystem"; }
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    if (is_blind_ && path.ends_with(".blob")) return IOStatus::IOError("injected: blind");
    return FileSystemWrapper::NewRandomAccessFile(path, options, file, debug);
  }

 private:
  std::atomic<bool> is_blind_ = false;
};

// A store with one table whose values are in blob files.
class DropTest : public ::testing::Test {
 protected:
  void Open(GarbageOptions garbage) {
    store_ = RocksStore::Open({.path = folder_.path(),
                               .tables = {{.name = "bodies",
                                           .in_blob_files = true,
                                           .is_deleted_singly = true,
                                           .garbage = std::move(garbage)}},
                               .file_system = files_,
                               .may_sleep = false})
                 .value();
  }

  void Put(const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(0, key, value);
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  bool Has(const std::string& key) { return store_->View()->Get(0, key)->has_value(); }

  const QuietLog quiet_;
  const TempFolder folder_;
  const std::shared_ptr<BlindFileSystem> files_ = std::make_shared<BlindFileSystem>();
  const std::string large_ = std::string(5000, 'x');
  std::unique_ptr<RocksStore> store_;
};

TEST_F(DropTest, AJudgeOfKeysReadsNoLargeValue) {
  Open(JudgedByKey([](auto, auto value) {
    EXPECT_EQ(value, "");
    return true;
  }));
  Put("a", large_);
  Put("b", "small");
  ASSERT_TRUE(store_->Flush().ok());
  files_->Blind();

  const Status compacted = store_->CompactAll();

  EXPECT_TRUE(compacted.ok()) << compacted.ToString();
  EXPECT_FALSE(Has("a"));
  EXPECT_FALSE(Has("b"));
}

TEST_F(DropTest, AJudgeOfValuesSeesThemWhereverTheyAre) {
  Open(JudgedByValue([this](auto, auto value) { return value == large_ || value == "small"; }));
  Put("a", large_);
  Put("b", "small");
  Put("c", large_ + "x");
  Put("d", "smaller");

  ASSERT_TRUE(store_->CompactAll().ok());

  EXPECT_FALSE(Has("a"));
  EXPECT_FALSE(Has("b"));
  EXPECT_TRUE(Has("c"));
  EXPECT_TRUE(Has("d"));
}

// So the test above would notice a judge of keys for whom values are read.
TEST_F(DropTest, AJudgeOfValuesCannotGoOnWithoutThem) {
  Open(JudgedByValue([](auto, auto) { return true; }));
  Put("a", large_);
  ASSERT_TRUE(store_->Flush().ok());
  files_->Blind();

  EXPECT_FALSE(store_->CompactAll().ok());
}

TEST_F(DropTest, ACompactionDropsWhatIsGarbageByThen) {
  std::atomic<bool> is_over = false;
  Open(JudgedByValue([&is_over](auto, auto value) { return is_over && value == "short"; }));
  Put("a", "short");
  Put("b", "long");

  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_TRUE(Has("a"));
  is_over = true;
  ASSERT_TRUE(store_->CompactAll().ok());

  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
}

// A judge may remember what it has found out: no other compaction asks it.
TEST_F(DropTest, EachCompactionAsksAJudgeOfItsOwn) {
  std::atomic<int> judges = 0;
  GarbageOptions garbage = JudgedByValue([](auto, auto) { return false; });
  garbage.make_judge = [&judges, make = garbage.make_judge] {
    ++judges;
    return make();
  };
  Open(std::move(garbage));
  EXPECT_EQ(judges, 0);

  for (int round = 1; round <= 2; ++round) {
    Put("a" + std::to_string(round), "1");
    ASSERT_TRUE(store_->CompactAll().ok());
    EXPECT_GE(judges, round);
  }
}

}  // namespace
}  // namespace wharf
