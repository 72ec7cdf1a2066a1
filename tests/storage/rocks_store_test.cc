#include "storage/rocks/rocks_store.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TableSet kOneTable = {{.name = "messages", .is_queue = true}};
const TableSet kTwoTables = {{.name = "messages", .is_queue = true},
                             {.name = "bodies", .in_blob_files = true}};

const TableSet kNeighbours = {{.name = "order", .neighbours_prefix = 2}};
const TableSet kCutNeighbours = {
    {.name = "messages", .is_queue = true, .neighbours_prefix = 2, .is_deleted_singly = true}};

class RocksStoreTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<RocksStore>> Open(const TableSet& tables) {
    return RocksStore::Open({.path = folder(), .tables = tables});
  }

  std::string folder() const { return temp_.path() + "/deep/inside"; }

  static void Put(RocksStore& store, TableId table, const std::string& key,
                  const std::string& value) {
    WriteBatch batch;
    batch.Put(table, key, value);
    ASSERT_TRUE(store.Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  static void DeleteRange(RocksStore& store, const std::string& begin, const std::string& end) {
    WriteBatch batch;
    batch.DeleteRange(0, begin, end);
    ASSERT_TRUE(store.Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  static std::optional<std::string> Get(const RocksStore& store, TableId table,
                                        const std::string& key) {
    return store.View()->Get(table, key).value();
  }

  static std::set<std::string> KeysOf(const RocksStore& store) {
    std::set<std::string> keys;
    const auto view = store.View();
    const auto cursor = view->Scan(0, {"", "~"});
    for (; cursor->valid(); cursor->Next()) keys.emplace(cursor->key());
    EXPECT_TRUE(cursor->status().ok());
    return keys;
  }

  static std::string AnyKey(std::mt19937& random) {
    return fmt::format("q{}-{:03}", random() % 3, random() % 1000);
  }

  // A range of one queue.
  static void Cut(std::mt19937& random, std::set<std::string>& rows, WriteBatch& batch) {
    const std::string begin = AnyKey(random);
    const std::string end = begin.substr(0, 3) + std::to_string(random() % 1000) + "~";
    if (begin >= end) return;
    batch.DeleteRange(0, begin, end);
    rows.erase(rows.lower_bound(begin), rows.lower_bound(end));
  }

  std::uintmax_t BytesOf(const std::string& extension) const {
    std::uintmax_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder())) {
      if (file.path().extension() == extension) bytes += file.file_size();
    }
    return bytes;
  }

 private:
  TempFolder temp_;
};

TEST_F(RocksStoreTest, KeepsWhatWasWrittenWhenOpenedAgain) {
  Put(*Open(kOneTable).value(), 0, "a", "1");

  EXPECT_EQ(Get(*Open(kOneTable).value(), 0, "a"), "1");
}

TEST_F(RocksStoreTest, CleanCloseLeavesNoLogToRead) {
  const auto store = Open(kTwoTables).value();
  Put(*store, 0, "a", "1");
  Put(*store, 1, "b", std::string(100'000, 'x'));

  EXPECT_TRUE(store->CloseCleanly().ok());

  EXPECT_EQ(BytesOf(".log"), 0u);
  EXPECT_EQ(Get(*Open(kTwoTables).value(), 0, "a"), "1");
}

// reliability 25
TEST_F(RocksStoreTest, SecondOpenerIsRefusedWithTheFolder) {
  const auto first = Open(kOneTable).value();

  const Status refused = Open(kOneTable).status();

  EXPECT_EQ(refused.message(), folder() + " is in use by another wharfd");
  Put(*first, 0, "a", "the first one goes on");
}

TEST_F(RocksStoreTest, MissingTableIsMade) {
  Put(*Open(kOneTable).value(), 0, "a", "1");

  const auto store = Open(kTwoTables).value();
  Put(*store, 1, "b", "2");

  EXPECT_EQ(Get(*store, 0, "a"), "1");
  EXPECT_EQ(Get(*store, 1, "b"), "2");
}

TEST_F(RocksStoreTest, UnknownTableIsRefusedWithItsName) {
  ASSERT_TRUE(Open(kTwoTables).ok());

  const Status refused = Open(kOneTable).status();

  EXPECT_THAT(refused.message(), HasSubstr("table 'bodies'"));
  EXPECT_THAT(refused.message(), HasSubstr("a newer version"));
}

// reliability 22
TEST_F(RocksStoreTest, FolderThatLostItsHeartIsRefused) {
  Put(*Open(kOneTable).value(), 0, "a", "1");
  std::filesystem::remove(folder() + "/CURRENT");

  const Status refused = Open(kOneTable).status();

  EXPECT_THAT(refused.message(), HasSubstr("CURRENT is missing"));
  EXPECT_TRUE(refused.is_damage());
}

// reliability 22
TEST_F(RocksStoreTest, WhatIsMissingOrOtherwiseIsDamageToWhoOpens) {
  for (const char* const kind : {"MANIFEST-", "CURRENT", ".sst"}) {
    {
      const auto store = Open(kOneTable).value();
      Put(*store, 0, "a", std::string(1000, 'x'));
      ASSERT_TRUE(store->CloseCleanly().ok());
    }
    for (const auto& file : std::filesystem::directory_iterator(folder())) {
      const std::string name = file.path().filename().string();
      if (name.find(kind) != std::string::npos) std::ofstream(file.path()) << "otherwise";
    }
    EXPECT_TRUE(Open(kOneTable).status().is_damage()) << kind;
    std::filesystem::remove_all(folder());
  }
}

// reliability 21
TEST_F(RocksStoreTest, DamagedTableFileIsReportedAndNeverServed) {
  {
    const auto store = Open(kOneTable).value();
    Put(*store, 0, "a", std::string(1000, 'x'));
    ASSERT_TRUE(store->CloseCleanly().ok());
  }
  for (const auto& file : std::filesystem::directory_iterator(folder())) {
    if (file.path().extension() != ".sst") continue;
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(500);
    bytes.put('y');
  }

  const auto store = Open(kOneTable);

  if (store.ok()) {
    const auto value = (*store)->View()->Get(0, "a");
    EXPECT_THAT(value.status().message(), HasSubstr("its data is damaged"));
    EXPECT_FALSE((*store)->View()->Scan(0, {"", "~"})->status().ok());
  }
}

TEST_F(RocksStoreTest, CompactsWhatWasPutAndDeletedOnce) {
  const auto store = Open(kTwoTables).value();
  for (int i = 0; i < 1000; ++i) Put(*store, 1, "key " + std::to_string(i), std::string(2000, 'x'));
  ASSERT_TRUE(store->CompactAll().ok());
  for (int i = 0; i < 999; ++i) {
    WriteBatch batch;
    batch.SingleDelete(1, "key " + std::to_string(i));
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kNo).ok());
  }

  EXPECT_TRUE(store->CompactAll().ok());

  EXPECT_EQ(Get(*store, 1, "key 999"), std::string(2000, 'x'));
  EXPECT_EQ(Get(*store, 1, "key 0"), std::nullopt);
}

// Of 4 KiB, and nothing compresses it.
std::string RandomRow() {
  static std::mt19937_64 random(1);
  std::string value(4096, '\0');
  for (char& byte : value) byte = static_cast<char>(random());
  return value;
}

TEST_F(RocksStoreTest, TheSpaceOfDeletedRowsComesBack) {  // PRG-1
  const auto store = Open(kTwoTables).value();
  for (int row = 0; row < 2000; ++row) Put(*store, 0, "a" + std::to_string(row), RandomRow());
  ASSERT_TRUE(store->CompactAll().ok());
  const auto before = BytesOf(".sst");
  WriteBatch batch;
  batch.DeleteRange(0, "a", "b");
  ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());

  store->NoteFreed({{0, {"a", "b"}}});
  ASSERT_TRUE(store->Flush().ok());
  while (store->ReturnSpace(/*is_quiet=*/true).value().bytes > 0) continue;

  EXPECT_LT(BytesOf(".sst"), before / 10);
}

TEST_F(RocksStoreTest, AStopDoesNotWaitForSpaceToComeBack) {
  const auto store = Open(kTwoTables).value();
  for (int row = 0; row < 100; ++row) Put(*store, 0, "a" + std::to_string(row), RandomRow());
  ASSERT_TRUE(store->CompactAll().ok());
  WriteBatch batch;
  batch.DeleteRange(0, "a", "b");
  ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  store->NoteFreed({{0, {"a", "b"}}});
  ASSERT_TRUE(store->Flush().ok());

  store->StopGivingBack();

  EXPECT_EQ(store->ReturnSpace(/*is_quiet=*/true).value().bytes, 0U);
  EXPECT_TRUE(store->CompactDead().ok());
  EXPECT_TRUE(store->CloseCleanly().ok());
}

// RocksDB enforces that one key is deleted in one way only.
TEST_F(RocksStoreTest, CompactAllReportsErrorsInTheBackground) {
  const auto store = Open(kOneTable).value();
  const auto write = [&](const WriteBatch& batch) {
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kNo).ok());
  };
  Put(*store, 0, "a", "1");
  WriteBatch removed_one_way;
  removed_one_way.Delete(0, "a");
  write(removed_one_way);
  WriteBatch removed_another_way;
  removed_another_way.SingleDelete(0, "a");
  write(removed_another_way);

  EXPECT_FALSE(store->CompactAll().ok());
}

// RocksDB 7.8 by itself mixes the places of rows up with those of range deletions.
TEST_F(RocksStoreTest, RangesOfNeighboursAreDeletedByTheirPrefix) {
  auto store = Open(kNeighbours).value();
  for (const char* key : {"q1-3", "q1-1", "q2-2", "q1-2", "q2-1"}) Put(*store, 0, key, "1");

  DeleteRange(*store, "q1", "q2");
  Put(*store, 0, "q1-2", "2");
  DeleteRange(*store, "q2", "q3");
  Put(*store, 0, "q2-0", "2");

  EXPECT_EQ(Get(*store, 0, "q1-1"), std::nullopt);
  EXPECT_EQ(Get(*store, 0, "q1-2"), "2");
  EXPECT_EQ(Get(*store, 0, "q2-0"), "2");
  EXPECT_EQ(Get(*store, 0, "q2-1"), std::nullopt);
}

TEST_F(RocksStoreTest, ARangeInTheMidstOfNeighboursIsRefused) {
  auto store = Open(kNeighbours).value();
  WriteBatch batch;
  batch.DeleteRange(0, "q1-1", "q1-3");

  EXPECT_THAT(store->Write({&batch, 1}, RocksStore::Sync::kYes).message(),
              HasSubstr("in the midst of neighbours"));
}

// RocksDB would look for the place of the range where it found that of a row.
TEST_F(RocksStoreTest, RangesAreCutOutFromBetweenNeighbours) {
  auto store = Open(kCutNeighbours).value();
  for (const char* key : {"q1-1", "q1-2", "q1-3", "q2-1"}) Put(*store, 0, key, "1");

  DeleteRange(*store, "q1-2", "q1-3");
  Put(*store, 0, "q1-4", "1");
  DeleteRange(*store, "q1-3", "q1-5");
  Put(*store, 0, "q1-5", "1");

  EXPECT_THAT(KeysOf(*store), ElementsAre("q1-1", "q1-5", "q2-1"));
}

// Writes with ranges and without, to rows that come and go anywhere; some of them are flushed.
TEST_F(RocksStoreTest, NeighboursAreWhereTheyBelongWhateverIsCutOut) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  auto store = Open(kCutNeighbours).value();
  std::set<std::string> rows;
  std::set<std::string> before;  // A key is put once.

  for (int written = 0; written < 400; ++written) {
    WriteBatch batch;
    if (random() % 5 == 0) Cut(random, rows, batch);
    for (auto count = random() % 20; count > 0; --count) {
      const std::string key = AnyKey(random);
      const auto next = rows.lower_bound(key);
      if (random() % 2 == 0 && next != rows.end()) {
        batch.SingleDelete(0, *next);
        rows.erase(next);
      } else if (before.insert(key).second) {
        batch.Put(0, key, "1");
        rows.insert(key);
      }
    }
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    const Status flushed = written % 100 == 99 ? store->Flush() : Status();
    ASSERT_TRUE(flushed.ok());
    ASSERT_EQ(KeysOf(*store), rows) << written;
  }

  EXPECT_EQ(KeysOf(*store), rows);
}

}  // namespace
}  // namespace wharf
