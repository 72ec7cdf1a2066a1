// The state of a node of a cluster: a store whose commits are in another log.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocks/rocks_store.h"
#include "storage/rocks/state_files.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr TableId kRows = 0;
constexpr TableId kMeta = 1;
const StatePositionRow kPosition{.table = kMeta};
const KeyRange kEverything{"", "\xFF"};

class ReplicatedStoreTest : public ::testing::Test {
 protected:
  std::string folder() const { return temp_.path() + "/data"; }

  RocksStoreOptions Options(bool is_replicated = true) const {
    RocksStoreOptions options = {.path = folder(), .tables = {{.name = "rows"}, {.name = "meta"}}};
    if (is_replicated) options.position = kPosition;
    return options;
  }
  Status TryOpen(const RocksStoreOptions& options) {
    store_.reset();
    auto opened = RocksStore::Open(options);
    if (opened.ok()) store_ = *std::move(opened);
    return opened.status();
  }
  void Open() {
    const Status opened = TryOpen(Options());
    ASSERT_TRUE(opened.ok()) << opened.message();
  }
  RocksStore& store() { return *store_; }
  void Close() { store_.reset(); }

  // What an entry does: a row of its own, and the position.
  void Apply(std::uint64_t index) {
    WriteBatch batch;
    batch.Put(kRows, std::to_string(index), "of entry " + std::to_string(index));
    kPosition.Put(PositionOf(index), batch);
    ASSERT_TRUE(store().Write({&batch, 1}, RocksStore::Sync::kNo).ok());
  }
  static StatePosition PositionOf(std::uint64_t index) {
    return {.index = index, .term = index / 2 + 1, .members = std::string("n\0one", 5)};
  }
  std::uint64_t Flushed() { return store().FlushedPosition().value().index; }
  bool Has(std::uint64_t index) {
    return store().View()->Get(kRows, std::to_string(index)).value().has_value();
  }

 private:
  TempFolder temp_;
  std::unique_ptr<RocksStore> store_;
};

TEST_F(ReplicatedStoreTest, SaysUpToWhereItIs) {
  Open();
  EXPECT_EQ(kPosition.Read(store()).value(), StatePosition());

  Apply(1);
  Apply(2);

  EXPECT_EQ(kPosition.Read(store()).value(), PositionOf(2));
}

TEST_F(ReplicatedStoreTest, APositionThatCannotBeReadIsNotGuessed) {
  Open();
  for (const std::string& record : {std::string(), std::string(16, '\1'), std::string(17, '\2')}) {
    WriteBatch batch;
    batch.Put(kMeta, kPosition.key, record);
    ASSERT_TRUE(store().Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    ASSERT_TRUE(store().Flush().ok());
    EXPECT_THAT(kPosition.Read(store()).status().message(), HasSubstr("damaged or of a newer"));
    EXPECT_THAT(store().FlushedPosition().status().message(), HasSubstr("damaged or of a newer"));
  }
}

TEST_F(ReplicatedStoreTest, WhatIsNotFlushedIsGoneAfterACrashAndThePositionSaysSo) {
  Open();
  Apply(1);
  Apply(2);
  EXPECT_EQ(Flushed(), 0);
  ASSERT_TRUE(store().Flush().ok());
  EXPECT_EQ(Flushed(), 2);
  Apply(3);
  EXPECT_EQ(store().FlushedPosition().value(), PositionOf(2));

  Open();

  EXPECT_EQ(kPosition.Read(store()).value(), PositionOf(2));
  EXPECT_TRUE(Has(2));
  EXPECT_FALSE(Has(3));
}

// What is written before there is a log to write to.
TEST_F(ReplicatedStoreTest, WhatMustBeDurableIsFlushed) {
  Open();
  WriteBatch batch;
  batch.Put(kRows, "1", "durable");
  ASSERT_TRUE(store().Write({&batch, 1}, RocksStore::Sync::kYes).ok());

  Open();

  EXPECT_TRUE(Has(1));
}

TEST_F(ReplicatedStoreTest, ACleanStopKeepsEverything) {
  Open();
  Apply(1);
  ASSERT_TRUE(store().CloseCleanly().ok());

  Open();

  EXPECT_EQ(Flushed(), 1);
  EXPECT_TRUE(Has(1));
}

// A newer version was here, and wrote nothing that this one does not know: an upgrade and back.
TEST_F(ReplicatedStoreTest, ATableThatItDoesNotKnowGoesIfNothingIsInIt) {  // reliability 61
  RocksStoreOptions newer = Options();
  newer.tables.push_back({.name = "tomorrow"});
  newer.tables.push_back({.name = "the day after", .in_blob_files = true});
  ASSERT_TRUE(TryOpen(newer).ok());
  Apply(1);
  WriteBatch batch;
  batch.Put(2, "row", "that goes");
  batch.Delete(2, "row");
  ASSERT_TRUE(store().Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  ASSERT_TRUE(store().CloseCleanly().ok());

  Open();
  EXPECT_TRUE(Has(1));
  Apply(2);
  ASSERT_TRUE(store().CloseCleanly().ok());

  ASSERT_TRUE(TryOpen(newer).ok());
  EXPECT_TRUE(Has(2));
  EXPECT_FALSE(store().View()->Get(2, "row").value().has_value());
}

TEST_F(ReplicatedStoreTest, ATableThatItDoesNotKnowIsRefusedIfARowIsInIt) {  // reliability 61
  RocksStoreOptions newer = Options();
  newer.tables.push_back({.name = "tomorrow"});
  ASSERT_TRUE(TryOpen(newer).ok());
  WriteBatch batch;
  batch.Put(2, "row", "that stays");
  ASSERT_TRUE(store().Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  ASSERT_TRUE(store().CloseCleanly().ok());

  for (int attempt = 0; attempt < 2; ++attempt) {
    const Status refused = TryOpen(Options());
    EXPECT_THAT(refused.message(), HasSubstr("a table 'tomorrow' that this wharfd does not know"));
    EXPECT_FALSE(refused.is_damage());
  }

  ASSERT_TRUE(TryOpen(newer).ok());
  EXPECT_EQ(store().View()->Get(2, "row").value(), "that stays");
}

// CompactRange would, and lose rows on the way.
TEST_F(ReplicatedStoreTest, CompactionsFlushNothing) {
  Open();
  for (std::uint64_t round = 0; round < 4; ++round) {
    Apply(2 * round + 1);
    ASSERT_TRUE(store().Flush().ok());
    Apply(2 * round + 2);
    const std::uint64_t flushed = Flushed();

    ASSERT_TRUE(store().Compact({kRows, kEverything}).ok());
    ASSERT_TRUE(store().CompactDead().ok());
    ASSERT_TRUE(store().ReturnSpace(true).ok());

    EXPECT_EQ(Flushed(), flushed);
  }
  for (std::uint64_t index = 1; index <= 8; ++index) EXPECT_TRUE(Has(index));
}

TEST_F(ReplicatedStoreTest, DeadRowsGiveTheirSpaceBack) {
  Open();
  // Too few files for RocksDB to compact them by itself.
  WriteBatch puts;
  for (int row = 0; row < 4000; ++row) {
    puts.Put(kRows, std::to_string(1'000'000 + row), std::string(1000, 'x'));
  }
  ASSERT_TRUE(store().Write({&puts, 1}, RocksStore::Sync::kYes).ok());
  ASSERT_TRUE(store().Flush().ok());
  const std::uint64_t before = store().use().table_bytes;
  WriteBatch deletes;
  for (int row = 0; row < 3500; ++row) deletes.Delete(kRows, std::to_string(1'000'000 + row));
  ASSERT_TRUE(store().Write({&deletes, 1}, RocksStore::Sync::kYes).ok());
  ASSERT_TRUE(store().Flush().ok());

  ASSERT_TRUE(store().CompactDead().ok());

  EXPECT_LT(store().use().table_bytes, before / 4);
  EXPECT_TRUE(store().View()->Get(kRows, std::to_string(1'003'600)).value().has_value());
}

TEST_F(ReplicatedStoreTest, ANewFolderIsOfOneKindForEver) {
  Open();
  Apply(1);
  Close();

  EXPECT_THAT(TryOpen(Options(/*is_replicated=*/false)).message(),
              HasSubstr(folder() + " belongs to a node of a cluster"));

  Open();
}

TEST_F(ReplicatedStoreTest, TheFolderOfASingleNodeIsRefused) {
  ASSERT_TRUE(TryOpen(Options(/*is_replicated=*/false)).ok());
  Close();

  EXPECT_THAT(TryOpen(Options()).message(),
              HasSubstr(folder() + " belongs to a broker of a single node"));

  EXPECT_TRUE(TryOpen(Options(/*is_replicated=*/false)).ok());
}

TEST_F(ReplicatedStoreTest, TheFolderOfASingleNodeIsConverted) {
  ASSERT_TRUE(TryOpen(Options(/*is_replicated=*/false)).ok());
  WriteBatch batch;
  batch.Put(kRows, "7", "from before");
  ASSERT_TRUE(store().Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  Close();

  ASSERT_TRUE(RocksStore::Convert(Options(), PositionOf(5)).ok());

  EXPECT_FALSE(TryOpen(Options(/*is_replicated=*/false)).ok());
  // Nothing is left in a write-ahead log, which this start would not flush.
  RocksStoreOptions options = Options();
  options.spares_disk = true;
  ASSERT_TRUE(TryOpen(options).ok());
  EXPECT_EQ(store().FlushedPosition().value(), PositionOf(5));
  EXPECT_TRUE(Has(7));
  Apply(6);
  EXPECT_EQ(Flushed(), 5);
  Open();
  EXPECT_EQ(Flushed(), 5);
  EXPECT_TRUE(Has(7));
}

TEST_F(ReplicatedStoreTest, ACheckpointIsTheStateOfItsMoment) {
  Open();
  Apply(1);
  Apply(2);
  const std::string checkpoint = folder() + "-checkpoint";

  ASSERT_TRUE(store().Checkpoint(checkpoint).ok());
  EXPECT_EQ(Flushed(), 2);
  Apply(3);
  ASSERT_TRUE(store().CompactAll().ok());

  RocksStoreOptions options = Options();
  options.path = checkpoint;
  const auto other = RocksStore::Open(options);
  ASSERT_TRUE(other.ok()) << other.status().message();
  EXPECT_EQ((*other)->FlushedPosition().value(), PositionOf(2));
  EXPECT_TRUE((*other)->View()->Get(kRows, "2").value().has_value());
  EXPECT_FALSE((*other)->View()->Get(kRows, "3").value().has_value());
  EXPECT_TRUE(Has(3));
}

TEST_F(ReplicatedStoreTest, ACheckpointIsNotMadeWhereSomethingIs) {
  Open();
  Apply(1);
  const std::string checkpoint = folder() + "-checkpoint";
  ASSERT_TRUE(store().Checkpoint(checkpoint).ok());

  EXPECT_THAT(store().Checkpoint(checkpoint).message(), HasSubstr(checkpoint));
}

TEST_F(ReplicatedStoreTest, TheFilesOfACheckpointAreKnownByTheirContent) {
  Open();
  Apply(1);
  const std::string checkpoint = folder() + "-checkpoint";
  ASSERT_TRUE(store().Checkpoint(checkpoint).ok());

  const auto files = ReadStateFiles(nullptr, checkpoint).value();

  EXPECT_THAT(files, Contains(Field(&StateFile::name, "CURRENT")));
  EXPECT_THAT(files, Contains(Field(&StateFile::name, "REPLICATED")));
  EXPECT_THAT(files, Contains(Field(&StateFile::name, HasSubstr(".sst"))));
  for (const StateFile& file : files) {
    EXPECT_EQ(file.bytes, std::filesystem::file_size(checkpoint + "/" + file.name));
  }
  EXPECT_EQ(ReadStateFiles(nullptr, checkpoint).value(), files);
}

TEST_F(ReplicatedStoreTest, AFileOfACheckpointThatWasChangedHasAnotherChecksum) {
  Open();
  Apply(1);
  const std::string checkpoint = folder() + "-checkpoint";
  ASSERT_TRUE(store().Checkpoint(checkpoint).ok());
  const auto before = ReadStateFiles(nullptr, checkpoint).value();

  std::fstream(checkpoint + "/CURRENT", std::ios::in | std::ios::out) << 'm';

  const auto after = ReadStateFiles(nullptr, checkpoint).value();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i] == before[i], after[i].name != "CURRENT") << after[i].name;
    EXPECT_EQ(after[i].bytes, before[i].bytes);
  }
}

TEST_F(ReplicatedStoreTest, ACheckpointSaysUpToWhereItIsWithoutBeingChanged) {
  Open();
  Apply(1);
  Apply(2);
  const std::string checkpoint = folder() + "/checkpoint";
  ASSERT_TRUE(store().Checkpoint(checkpoint).ok());
  Apply(3);
  const auto before = ReadStateFiles(nullptr, checkpoint).value();

  RocksStoreOptions options = Options();
  options.path = checkpoint;
  EXPECT_EQ(ReadStatePosition(options).value(), PositionOf(2));

  EXPECT_EQ(ReadStateFiles(nullptr, checkpoint).value(), before);
}

TEST_F(ReplicatedStoreTest, AStateIsRemovedAndNothingBesideIt) {
  Open();
  Apply(1);
  ASSERT_TRUE(store().Flush().ok());
  Close();
  std::ofstream(folder() + "/NODE") << "whose it is";
  std::filesystem::create_directory(folder() + "/entries");

  ASSERT_TRUE(RemoveStateFiles(nullptr, folder()).ok());

  EXPECT_FALSE(std::filesystem::exists(folder() + "/CURRENT"));
  for (const auto& file : std::filesystem::directory_iterator(folder())) {
    EXPECT_THAT(file.path().extension(), ::testing::AnyOf("", ".old")) << file.path();
  }
  EXPECT_TRUE(std::filesystem::exists(folder() + "/NODE"));
  EXPECT_TRUE(std::filesystem::exists(folder() + "/entries"));
  // It is still a node's, and no single broker's.
  EXPECT_FALSE(TryOpen(Options(false)).ok());
}

}  // namespace
}  // namespace wharf
