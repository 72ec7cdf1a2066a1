// The state of a node without a write-ahead log, on a disk that loses power.
//
// Entries are applied one after another, each with the position in the same write, while tables are
// flushed, compacted and tidied, and checkpoints are made, on a thread of their own. After a power
// cut the state is exactly what the entries up to its position made, not older than what was
// flushed: no row of a later entry, and no hole. Every failure names the seed that repeats the
// entries, though not the threads.
//
// Each seed has a process of its own, because RocksDB may abort behind a flush that the power took
// (storage/rocks/README.md). A daemon has ended by then, when it was told of the failure.

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "storage/apply/positioned_store.h"
#include "storage/log/ordered_writes.h"
#include "storage/rocks/rocks_store.h"
#include "storage/rocks/state_files.h"
#include "tests/from_environment.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr TableId kMeta = 5;
constexpr std::size_t kTables = 6;
constexpr int kKeys = 40;
const KeyRange kEverything{"", "\xFF"};
const StatePositionRow kPosition{.table = kMeta};

using Rows = std::array<std::map<std::string, std::string>, kTables>;

std::string KeyOf(std::uint64_t number) { return std::to_string(1000 + number % kKeys); }

// What an entry does, the same whenever it is asked. Some tables are written to seldom, so that
// they are mostly empty in memory.
template <typename Put, typename Delete>
void Do(std::uint64_t entry, Put put, Delete remove) {
  std::mt19937_64 random(entry);
  for (TableId table = 0; table < kMeta; ++table) {
    if (random() % (1 + 4 * table) != 0) continue;
    const std::string key = KeyOf(random());
    if (random() % 4 == 0) {
      remove(table, key);
    } else {
      put(table, key, fmt::format("{} of {} ", key, entry) + std::string(random() % 400, 'x'));
    }
  }
}

StatePosition PositionOf(std::uint64_t entry) {
  return {.index = entry, .term = entry / 7, .members = "of " + std::to_string(entry / 50)};
}

WriteBatch BatchOf(std::uint64_t entry) {
  WriteBatch batch;
  Do(
      entry, [&](TableId table, auto& key, const auto& value) { batch.Put(table, key, value); },
      [&](TableId table, auto& key) { batch.Delete(table, key); });
  return batch;
}

// After all entries up to this one.
Rows RowsAfter(std::uint64_t last) {
  Rows rows;
  for (std::uint64_t entry = 1; entry <= last; ++entry) {
    Do(
        entry, [&](TableId table, auto& key, const auto& value) { rows[table][key] = value; },
        [&](TableId table, auto& key) { rows[table].erase(key); });
  }
  return rows;
}

Rows RowsOf(const Store& store) {
  Rows rows;
  const auto view = store.View();
  for (TableId table = 0; table < kMeta; ++table) {
    const auto cursor = view->Scan(table, kEverything);
    for (; cursor->valid(); cursor->Next()) {
      rows[table].emplace(cursor->key(), cursor->value());
    }
    EXPECT_TRUE(cursor->status().ok()) << cursor->status().message();
  }
  return rows;
}

void ExpectWhole(const RocksStore& store, std::uint64_t from, std::uint64_t to) {
  const auto position = kPosition.Read(store);
  ASSERT_TRUE(position.ok()) << position.status().message();
  EXPECT_GE(position->index, from);
  EXPECT_LE(position->index, to);
  if (position->index > 0) {
    EXPECT_EQ(*position, PositionOf(position->index));
  }
  EXPECT_EQ(store.FlushedPosition().value(), *position);
  EXPECT_EQ(RowsOf(store), RowsAfter(position->index)) << "at entry " << position->index;
}

// What a process says of its seed.
constexpr const char* kWhole = "every life was whole\n";
constexpr const char* kFailureTold = "a failure in the background is told\n";

RocksStoreOptions OptionsOf(const std::string& folder,
                            const std::shared_ptr<PowerLossFileSystem>& file_system) {
  return {.path = folder,
          .tables = {{.name = "a"},
                     {.name = "b"},
                     {.name = "c", .is_queue = true},
                     {.name = "d", .in_blob_files = true},
                     {.name = "e"},
                     {.name = "meta"}},
          .write_buffer_bytes = 1 << 20,
          .file_system = file_system,
          .file_bytes_max = 16 << 10,
          .may_sleep = false,
          .on_background_failure = [](const Status&) { std::fputs(kFailureTold, stderr); },
          .position = kPosition};
}

// A node's state and its lives on one disk.
class StateStory {
 public:
  explicit StateStory(std::uint64_t seed) : random_(seed) { file_system_->ForgiveFolderSyncs(); }

  PowerLossDisk& disk() { return file_system_->disk(); }

  void Open() {
    auto opened = TryOpen("/data");
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store_ = *std::move(opened);
    ExpectWhole(*store_, flushed_, applied_);
    applied_ = kPosition.Read(*store_).value().index;
    flushed_ = applied_.load();
  }

  // Applies until the power fails.
  void Live() {
    disk().CutPowerAfter(1 + random_() % 250, random_());
    std::thread tidy([this, seed = random_()] { Tidy(seed); });
    const std::uint64_t last = applied_ + 1 + random_() % 400;
    while (applied_ < last && disk().has_power() && Apply()) {
    }
    is_over_ = true;
    tidy.join();
    is_over_ = false;
    store_.reset();
    disk().CutPower(random_());
    disk().Reboot();
  }

  // A checkpoint that was finished is a state like any other, and has the files that it had.
  void CheckCheckpoints() {
    for (const auto& [folder, checkpoint] : checkpoints_) {
      EXPECT_EQ(ReadStateFiles(file_system_.get(), folder).value(), checkpoint.files);
      const auto opened = TryOpen(folder);
      ASSERT_TRUE(opened.ok()) << opened.status().message();
      ExpectWhole(**opened, checkpoint.from, checkpoint.to);
    }
    checkpoints_.clear();
  }

 private:
  struct Checkpoint {
    std::vector<StateFile> files;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };

  Result<std::unique_ptr<RocksStore>> TryOpen(const std::string& folder) {
    return RocksStore::Open(OptionsOf(folder, file_system_));
  }

  bool Apply() {
    // Somebody may find it before it is counted.
    ++applied_;
    const WriteBatch batch = BatchOf(applied_);
    OrderedWrites writes;
    EXPECT_TRUE(batch.Visit(store_->tables(), writes).ok());
    // As the applier of every node does.
    if (PositionedStore(*store_, kPosition).Write(writes, PositionOf(applied_)).ok()) return true;
    EXPECT_FALSE(disk().has_power());
    return false;
  }

  // What runs beside the thread that applies.
  void Tidy(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    while (!is_over_ && disk().has_power()) {
      switch (random() % 8) {
        case 0:
          Flush();
          break;
        case 1:
          static_cast<void>(store_->CompactDead());
          break;
        case 2:
          MakeCheckpoint();
          break;
        case 3:
          static_cast<void>(store_->ReturnSpace(true));
          break;
        default:
          static_cast<void>(
              store_->Compact({static_cast<TableId>(random() % kTables), kEverything}));
      }
      const auto position = store_->FlushedPosition();
      // What is told after a power cut, nobody hears.
      if (!disk().has_power()) return;
      if (position.ok()) flushed_ = std::max<std::uint64_t>(flushed_, position->index);
    }
  }

  void Flush() {
    const std::uint64_t applied = applied_;
    if (!store_->Flush().ok()) return;
    const auto position = store_->FlushedPosition();
    // The last one may still be on its way.
    EXPECT_TRUE(position.ok() ? position->index + 1 >= applied : !disk().has_power());
  }

  void MakeCheckpoint() {
    const std::string folder = fmt::format("/checkpoint-{}", ++checkpoint_);
    const std::uint64_t applied = applied_;
    if (!store_->Checkpoint(folder).ok()) return;
    const auto files = ReadStateFiles(file_system_.get(), folder);
    if (!files.ok()) return;
    checkpoints_[folder] = {
        .files = *files, .from = std::max<std::uint64_t>(applied, 1) - 1, .to = applied_};
  }

  std::mt19937_64 random_;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  std::unique_ptr<RocksStore> store_;
  std::atomic<std::uint64_t> applied_ = 0;
  std::atomic<std::uint64_t> flushed_ = 0;
  std::atomic<bool> is_over_ = false;
  // Of the thread that tidies, while it runs.
  int checkpoint_ = 0;
  std::map<std::string, Checkpoint> checkpoints_;
};

void LiveFiveTimes(std::uint64_t seed) {
  const SeedNote note(fmt::format("WHARF_SEED={}", seed));
  StateStory story(seed);
  for (int life = 0; life < 5 && !::testing::Test::HasFailure(); ++life) {
    story.Open();
    if (::testing::Test::HasFailure()) return;
    story.Live();
    story.CheckCheckpoints();
  }
}

[[noreturn]] void LiveInThisProcess(std::uint64_t seed) {
  const QuietLog quiet;
  LiveFiveTimes(seed);
  const bool has_failed = ::testing::Test::HasFailure();
  if (!has_failed) std::fputs(kWhole, stderr);
  std::fflush(nullptr);
  std::_Exit(has_failed ? 1 : 0);
}

class StatePowerDeathTest : public ::testing::Test {
 protected:
  StatePowerDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StatePowerDeathTest, APowerCutLeavesExactlyWhatTheEntriesUpToThePositionMade) {
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 60);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  std::uint64_t aborted = 0;
  const auto is_whole_or_aborted = [&aborted](int end) {
    const bool is_aborted = WIFSIGNALED(end) && WTERMSIG(end) == SIGABRT;
    aborted += is_aborted ? 1 : 0;
    return is_aborted || ::testing::ExitedWithCode(0)(end);
  };
  const auto says_so =
      AnyOf(HasSubstr(kWhole), AllOf(HasSubstr(kFailureTold), HasSubstr("RollbackMemtableFlush"),
                                     HasSubstr("!mems.empty()")));
  for (std::uint64_t seed = first; seed < first + rounds && !HasFailure(); ++seed) {
    EXPECT_EXIT(LiveInThisProcess(seed), is_whole_or_aborted, says_so);
  }
  EXPECT_LE(aborted, rounds / 10);
}

// RocksDB would go on taking writes and never flush them.
TEST(StatePowerTest, AFlushThatCannotWriteIsTold) {
  const QuietLog quiet;
  bool is_flushed = false;
  for (std::uint64_t after = 0; !is_flushed; ++after) {
    SCOPED_TRACE(fmt::format("after {} writes", after));
    const auto file_system = std::make_shared<PowerLossFileSystem>();
    std::atomic<bool> is_told = false;
    RocksStoreOptions options = OptionsOf("/data", file_system);
    options.on_background_failure = [&](const Status&) { is_told = true; };
    const auto store = RocksStore::Open(options).value();
    const WriteBatch batch = BatchOf(1);
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kNo).ok());

    file_system->disk().FailWrites(after, rocksdb::IOStatus::IOError("injected"),
                                   PowerLossDisk::Times::kFromThenOn);
    is_flushed = store->Flush().ok();

    EXPECT_EQ(is_told, !is_flushed);
    ASSERT_LT(after, 100);
  }
}

}  // namespace
}  // namespace wharf
