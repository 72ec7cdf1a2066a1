// The archive of committed batches: what its files say, and that nobody waits for it.

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "storage/apply/entry.h"
#include "storage/archive/archive_reader.h"
#include "storage/archive/archive_writer.h"
#include "storage/archive/batch_archive.h"
#include "storage/archive/log_batches.h"
#include "storage/archive/roll_forward.h"
#include "storage/memory/memory_entry_log.h"
#include "storage/sealed/recipient.h"
#include "tests/quiet_log.h"
#include "tests/storage/recipient_pair.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Timestamp TimeOf(std::uint64_t commit) { return Timestamp(std::chrono::seconds(commit)); }

// A batch as a turn makes it: its time stands at its end.
std::string BatchOf(std::uint64_t commit, std::size_t bytes = 10) {
  WriteBatch batch;
  batch.Put(0, std::to_string(commit), std::string(bytes, 'v'));
  batch.NoteTime(TimeOf(commit));
  return batch.bytes();
}

std::string BatchesOf(std::uint64_t first, std::uint64_t last) {
  std::string bytes;
  for (std::uint64_t commit = first; commit <= last; ++commit) bytes += BatchOf(commit);
  return bytes;
}
std::uint32_t CountOf(std::uint64_t first, std::uint64_t last) {
  return static_cast<std::uint32_t>(last - first + 1);
}

// The disk of the archive does not answer while it is held.
class HeldDisk final : public rocksdb::FileSystemWrapper {
 public:
  HeldDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "HeldDisk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    {
      std::unique_lock lock(mutex_);
      is_asked_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !is_held_; });
    }
    if (fails_) return rocksdb::IOStatus::NoSpace("no space");
    return FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }

  void Hold() {
    const std::lock_guard lock(mutex_);
    is_held_ = true;
    is_asked_ = false;
  }
  void AwaitAsked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_asked_; });
  }
  void LetGo() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    changed_.notify_all();
  }
  void Fail(bool fails) { fails_ = fails; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_held_ = false;
  bool is_asked_ = false;
  std::atomic<bool> fails_ = false;
};

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() { fs::create_directory(data()); }

  std::string data() const { return temp_.path() + "/data"; }
  std::string backups() const { return temp_.path() + "/backups"; }
  ArchiveFolder Folder() const { return {nullptr, backups(), "mine"}; }

  // Behind so many commits, which the state has, and the log as well.
  void Start(std::uint64_t commits = 0, BatchArchive::Options options = {}) {
    archive_.reset();
    options.backups = backups();
    options.data = data();
    if (options.bytes_max == 0) options.bytes_max = 64 << 20;
    if (!options.file_system) options.file_system = disk_;
    archive_ = std::make_shared<BatchArchive>(
        options, BatchArchive::World{[this] { return Timestamp(Duration(++time_)); }});
    archive_->Begin("mine", log_, {.index = log_.last_index()}, CommitIndex(commits));
  }
  void Commit(std::uint64_t first, std::uint64_t last, std::size_t bytes = 10) {
    for (std::uint64_t commit = first; commit <= last; ++commit) {
      archive_->OnBatches(CommitIndex(commit), 1, BatchOf(commit, bytes));
    }
  }
  void CommitTogether(std::uint64_t first, std::uint64_t last) {
    archive_->OnBatches(CommitIndex(last), CountOf(first, last), BatchesOf(first, last));
  }
  // As an entry of the log has them.
  void AddEntry(std::uint64_t first, std::uint64_t last) {
    const std::string bytes = BatchesOf(first, last);
    const EntryHead head{.term = 1, .batches = CountOf(first, last)};
    const LogEntry entry{log_.last_index() + 1, 1, EntryKind::kBatch, EncodeEntry(head, bytes)};
    ASSERT_TRUE(log_.Append({&entry, 1}, std::nullopt).ok());
  }
  void Stop() { archive_->Stop(); }

  // The first and the last commit of each run.
  std::vector<std::string> Runs() const {
    std::vector<std::string> runs;
    const auto found = Folder().Runs().value();
    for (const ArchiveRun& run : found) {
      runs.push_back(fmt::format("{}-{}", run.first.value(), run.last.value()));
    }
    return runs;
  }
  std::uint64_t FirstRun() const { return Folder().Files().value().front().name.run; }

  // What is rolled forward behind a backup that has so many; or why not.
  std::string Read(std::uint64_t run, std::uint64_t has, const RestoreUntil& until = {},
                   const RecipientKeys* keys = nullptr) {
    const Status checked = CheckArchive(Folder(), run, CommitIndex(has), until, keys);
    return checked.ok() ? "all" : checked.message();
  }

  const QuietLog quiet_;
  TempFolder temp_;
  std::shared_ptr<HeldDisk> disk_ = std::make_shared<HeldDisk>();
  MemoryEntryLog log_;
  std::int64_t time_ = 0;
  std::shared_ptr<BatchArchive> archive_;
};

TEST(ArchiveFormatTest, BatchesOfAnEntryAreToldApartByTheirTimes) {
  const std::string bytes = BatchOf(7) + BatchOf(8) + BatchOf(9);

  const auto split = SplitBatches(CommitIndex(9), 3, bytes, {});

  ASSERT_EQ(split.size(), 3);
  EXPECT_EQ(split[1].bytes, BatchOf(8));
  EXPECT_EQ(split[1].last, CommitIndex(8));
  EXPECT_EQ(split[1].time, TimeOf(8));
}

TEST(ArchiveFormatTest, BatchesWithoutATimeStayTogether) {
  WriteBatch without;
  without.Put(0, "key", "value");
  const std::string bytes = without.bytes() + BatchOf(8);

  const auto split = SplitBatches(CommitIndex(8), 2, bytes, {});

  ASSERT_EQ(split.size(), 1);
  EXPECT_EQ(split[0].first(), CommitIndex(7));
  EXPECT_EQ(split[0].bytes, bytes);
}

TEST_F(ArchiveTest, WhatIsCommittedIsThere) {
  Start();
  Commit(1, 1000);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-1000"));
  EXPECT_EQ(Read(FirstRun(), 0), "all");
  EXPECT_EQ(Read(FirstRun(), 500, {.index = CommitIndex(700)}), "all");
  EXPECT_EQ(archive_->stats().last, CommitIndex(1000));
  EXPECT_EQ(archive_->stats().missing_commits, 0);
}

TEST_F(ArchiveTest, AMomentIsFoundByIndexAndByTime) {
  Start();
  Commit(1, 100);
  Stop();
  const ArchiveFolder folder = Folder();
  ArchiveReader reader(folder, FirstRun());
  ASSERT_TRUE(reader.Seek(CommitIndex(40)).ok());

  // How many commits are in a block depends on when its disk was ready.
  std::string fiftieth;
  while (fiftieth.empty()) {
    const auto block = reader.Next().value();
    ASSERT_TRUE(block.has_value());
    const auto records = RecordsOf(block->head, block->data).value();
    for (const ArchivedBatches& each : records) {
      if (each.last == CommitIndex(50)) fiftieth = each.bytes;
    }
  }
  EXPECT_EQ(fiftieth, BatchOf(50));
  EXPECT_EQ(Read(FirstRun(), 40, {.time = TimeOf(60)}), "all");
  EXPECT_THAT(Read(FirstRun(), 40, {.time = TimeOf(101)}), HasSubstr("ends with commit 100"));
  EXPECT_THAT(Read(FirstRun(), 40, {.index = CommitIndex(30)}), HasSubstr("earlier backup"));
  EXPECT_THAT(Read(FirstRun() + 1, 40), HasSubstr("has a hole: commit 41"));
  EXPECT_THAT(Read(0, 40), HasSubstr("nothing was archived"));
}

TEST_F(ArchiveTest, AStoreIsRolledForwardToExactlyThatCommit) {
  Start();
  Commit(1, 30);
  Stop();
  const AppliedIndexRow row{.table = 1};
  const auto rows_at = [&](const RestoreUntil& until) {
    const std::string path = temp_.path() + "/store-" + std::to_string(++time_);
    const auto store =
        RocksStore::Open({.path = path, .tables = {{.name = "rows"}, {.name = "meta"}}}).value();
    const Moment begin{CommitIndex(4), TimeOf(4)};
    const auto moment = RollForward(*store, row, Folder(), FirstRun(), begin, until);
    EXPECT_TRUE(moment.ok()) << moment.status().message();
    EXPECT_EQ(row.Read(*store).value(), moment->last);
    std::uint64_t rows = 0;
    const auto view = store->View();
    for (std::uint64_t commit = 1; commit <= 31; ++commit) {
      if (view->Get(0, std::to_string(commit)).value()) ++rows;
    }
    EXPECT_EQ(moment->last.value() - 4, rows);
    return moment->last.value();
  };

  for (std::uint64_t commit = 5; commit <= 30; ++commit) {
    EXPECT_EQ(rows_at({.index = CommitIndex(commit)}), commit);
  }
  EXPECT_EQ(rows_at({.time = TimeOf(17)}), 17);
  EXPECT_EQ(rows_at({.time = TimeOf(18) - Duration(1)}), 17);
  EXPECT_EQ(rows_at({}), 30);
}

TEST_F(ArchiveTest, ADiskThatDoesNotAnswerHoldsNobodyUp) {
  disk_->Hold();
  Start(0, {.queue_bytes_max = 1000});
  disk_->AwaitAsked();

  Commit(1, 500);

  EXPECT_GT(archive_->stats().missing_commits, 0);
  EXPECT_LE(archive_->stats().waiting_bytes, 1000);
  EXPECT_EQ(archive_->stats().holes, 1);
  EXPECT_THAT(archive_->stats().trouble, HasSubstr("does not keep up"));
  EXPECT_EQ(archive_->run(), 0);
  disk_->LetGo();
  while (archive_->run() == 0) std::this_thread::yield();
  Commit(501, 510);
  Stop();
  const auto runs = Folder().Runs().value();
  ASSERT_EQ(runs.size(), 2);
  EXPECT_EQ(runs[0].first, CommitIndex(1));
  EXPECT_EQ(runs[1].last, CommitIndex(510));
  EXPECT_EQ(runs[1].first.value() - runs[0].last.value() - 1, archive_->stats().missing_commits);
}

TEST_F(ArchiveTest, AFullDiskIsAHoleAndNoError) {
  Start(0, {.pause = Duration()});
  Commit(1, 10);
  Stop();
  disk_->Fail(true);
  Start(10, {.pause = Duration()});
  Commit(11, 20);
  // Between two tries there is none.
  std::string trouble;
  while (trouble.empty()) trouble = archive_->stats().trouble;
  EXPECT_THAT(trouble, HasSubstr("no space"));
  EXPECT_GT(archive_->stats().holes, 0U);

  disk_->Fail(false);
  while (archive_->run() == 0) std::this_thread::yield();
  Commit(21, 30);
  Stop();

  EXPECT_EQ(Runs().front(), "1-10");
  EXPECT_THAT(Read(FirstRun(), 5, {.index = CommitIndex(30)}), HasSubstr("ends with commit 10"));
}

TEST_F(ArchiveTest, OneThatIsLargerThanTheQueueIsTakenByItself) {
  Start(0, {.queue_bytes_max = 1000});
  Commit(1, 1, 3 << 20);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-1"));
  EXPECT_EQ(Read(FirstRun(), 0), "all");
}

TEST_F(ArchiveTest, AStartGoesOnWithTheRun) {
  Start();
  Commit(1, 10);
  Stop();

  Start(10);
  Commit(11, 20);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-20"));
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(20)}), "all");
}

TEST_F(ArchiveTest, WhatACrashKeptOutIsTakenFromTheLog) {
  Start();
  AddEntry(1, 3);
  AddEntry(4, 8);
  Commit(1, 5);
  Stop();

  AddEntry(9, 9);
  Start(9);
  Commit(10, 10);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-10"));
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(10)}), "all");
}

TEST_F(ArchiveTest, WhatTheLogDoesNotHaveAnyMoreIsAHole) {
  Start();
  Commit(1, 5);
  Stop();
  ASSERT_TRUE(log_.BeginAt({7, 1}, {}).ok());
  AddEntry(8, 9);

  Start(9);
  Commit(10, 10);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-5", "10-10"));
  EXPECT_EQ(archive_->stats().missing_commits, 4);
  EXPECT_EQ(archive_->stats().holes, 1);
}

TEST_F(ArchiveTest, ATornEndIsWrittenAnew) {
  Start();
  AddEntry(1, 5);
  CommitTogether(1, 5);  // In a block.
  Stop();
  const ArchiveFolder folder = Folder();
  const std::string file = folder.PathOf(folder.Files().value().back().name);
  fs::resize_file(file, fs::file_size(file) - 3);
  EXPECT_THAT(Runs(), IsEmpty());

  Start(5);
  Commit(6, 6);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-6"));
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(6)}), "all");
}

TEST_F(ArchiveTest, OneThatIsAheadIsThatOfAnotherCopy) {
  Start();
  Commit(1, 10);
  Stop();

  Start(5);
  Commit(6, 7);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-10", "6-7"));
}

// An older copy of the folder is put back while the archive is not there, and both histories have a
// commit 3.
TEST_F(ArchiveTest, AStartWithoutTheArchiveLeavesItsRunForGood) {
  Start();
  Commit(1, 2);
  Stop();
  fs::copy(data(), data() + "-copy");
  Start(2);
  Commit(3, 6);
  Stop();
  fs::remove_all(data());
  fs::rename(data() + "-copy", data());

  fs::rename(backups(), backups() + "-away");
  std::ofstream(backups()) << "no folder";
  Start(2);
  Commit(3, 8);
  Stop();
  AddEntry(1, 8);
  fs::remove(backups());
  fs::rename(backups() + "-away", backups());
  Start(8);
  Commit(9, 9);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-6", "9-9"));
}

TEST_F(ArchiveTest, AStateThatIsFlushedBehindItsLogGoesOn) {
  Start();
  AddEntry(1, 5);
  Commit(1, 5);
  Stop();
  archive_ = std::make_shared<BatchArchive>(
      BatchArchive::Options{.backups = backups(), .data = data(), .bytes_max = 64 << 20},
      BatchArchive::World{[] { return Timestamp(); }});

  // As of before the entry, which is applied once more.
  archive_->Begin("mine", log_, {.index = 0}, CommitIndex());
  archive_->OnBatches(CommitIndex(5), 5, BatchOf(1));
  Commit(6, 7);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-7"));
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(7)}), "all");
}

TEST_F(ArchiveTest, NobodyGoesOnWhereNothingWasArchivedMeanwhile) {
  Start();
  Commit(1, 5);
  Stop();

  BatchArchive::Forget(data());
  Start(5);
  Commit(6, 7);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-5", "6-7"));
}

TEST_F(ArchiveTest, TheOldestGoFirstAndItKeepsItsBound) {
  Start(0, {.bytes_max = 1 << 20});
  Commit(1, 3000, 1000);
  Stop();

  std::uint64_t bytes = 0;
  const auto files = Folder().Files().value();
  for (const ArchiveFile& file : files) bytes += file.bytes;
  EXPECT_LE(bytes, (1 << 20) + (64 << 10));
  EXPECT_GT(bytes, 512 << 10);
  const std::uint64_t first = Folder().Runs().value().front().first.value();
  EXPECT_GT(first, 1);
  EXPECT_EQ(Read(FirstRun(), first - 1, {.index = CommitIndex(3000)}), "all");
  EXPECT_THAT(Read(FirstRun(), first - 2), HasSubstr("has a hole"));
}

TEST_F(ArchiveTest, WhatNoBackupNeedsIsPruned) {
  Start(0, {.bytes_max = 8 << 20});
  Commit(1, 6000, 1000);
  Stop();
  const ArchiveFolder folder = Folder();
  const auto files = folder.Files().value();
  ASSERT_GT(files.size(), 3);
  const std::uint64_t has = files[2].name.first.value() + 1;

  ASSERT_TRUE(folder.Prune({{FirstRun(), has}}, FirstRun()).ok());

  EXPECT_EQ(folder.Files().value().front().name, files[2].name);
  EXPECT_EQ(Read(FirstRun(), has, {.index = CommitIndex(6000)}), "all");
  ASSERT_TRUE(folder.Prune({}, FirstRun()).ok());
  EXPECT_EQ(folder.Files().value().size(), 1);
  ASSERT_TRUE(folder.Prune({}, 0).ok());
  EXPECT_THAT(folder.Files().value(), IsEmpty());
}

TEST_F(ArchiveTest, AStopWaitsForADiskThatDoesNotAnswerNoLongerThanItIsTold) {
  disk_->Hold();
  Start();
  Commit(1, 5);
  disk_->AwaitAsked();

  EXPECT_FALSE(archive_->Stop(std::chrono::milliseconds(20)));

  // Its thread has it until the call comes back, and then writes no more.
  const std::weak_ptr<BatchArchive> left = archive_;
  archive_.reset();
  EXPECT_FALSE(left.expired());
  disk_->LetGo();
  while (!left.expired()) std::this_thread::yield();
  EXPECT_THAT(Runs(), IsEmpty());
}

TEST_F(ArchiveTest, AStopInTimeHasWrittenWhatWaited) {
  Start();
  Commit(1, 1000);

  EXPECT_TRUE(archive_->Stop(std::chrono::minutes(10)));

  EXPECT_THAT(Runs(), ElementsAre("1-1000"));
}

TEST_F(ArchiveTest, WhatIsMissingBehindALateDiskIsOneHole) {
  Start();
  Commit(1, 5);
  Stop();
  fs::rename(backups(), backups() + "-away");
  std::ofstream(backups()) << "no folder";

  Start(9, {.pause = Duration()});
  Commit(10, 12);
  fs::remove(backups());
  fs::rename(backups() + "-away", backups());
  while (archive_->run() == 0) std::this_thread::yield();
  Commit(13, 13);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-5", "13-13"));
  EXPECT_EQ(archive_->stats().missing_commits, 7);
  EXPECT_EQ(archive_->stats().holes, 1);
}

TEST_F(ArchiveTest, AStartWaitsNoLongerThanItIsToldForWhatTheLogHas) {
  Start();
  AddEntry(1, 5);
  Commit(1, 5);
  Stop();
  for (std::uint64_t commit = 6; commit <= 105; ++commit) AddEntry(commit, commit);
  disk_->Hold();

  Start(105, {.queue_bytes_max = 500, .start_max = std::chrono::milliseconds(20)});

  disk_->LetGo();
  while (archive_->run() == 0) std::this_thread::yield();
  Commit(106, 106);
  Stop();
  const auto runs = Folder().Runs().value();
  ASSERT_EQ(runs.size(), 2);
  EXPECT_LT(runs[0].last, CommitIndex(105));
  EXPECT_EQ(runs[1].first, CommitIndex(106));
  EXPECT_EQ(archive_->stats().missing_commits, 105 - runs[0].last.value());
  EXPECT_EQ(archive_->stats().holes, 1);
}

TEST_F(ArchiveTest, APieceOfSeveralCommitsIsNotDivided) {
  WriteBatch without;
  without.Put(0, "key", "value");
  Start();
  Commit(1, 3);
  archive_->OnBatches(CommitIndex(6), 3, without.bytes() + without.bytes() + BatchOf(6));
  Commit(7, 8);
  Stop();

  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(3)}), "all");
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(6)}), "all");
  EXPECT_EQ(Read(FirstRun(), 0, {.time = TimeOf(7)}), "all");
  for (const std::uint64_t within : {4, 5}) {
    EXPECT_THAT(Read(FirstRun(), 0, {.index = CommitIndex(within)}),
                HasSubstr("the commits 4 to 6 are in the archive as one piece"));
  }
  EXPECT_THAT(Read(FirstRun(), 0, {.time = TimeOf(6) - Duration(1)}),
              HasSubstr("restore with --until-index 3 or 6"));
}

TEST_F(ArchiveTest, AnEncryptedOneIsWholeForAnybodyAndReadByItsKeyAlone) {
  const Somebody owner("owner");
  const RecipientKeys keys = owner.keys();
  const Somebody other("other");
  const RecipientKeys other_keys = other.keys();
  Start(0, {.encrypt_to = owner.recipient()});
  Commit(1, 100, 1000);
  Stop();
  Start(100, {.encrypt_to = owner.recipient()});
  Commit(101, 200);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-200"));
  const auto runs = Folder().Runs().value();
  EXPECT_EQ(runs.front().encrypted_to, owner.recipient().key_id());
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(200)}), "all");
  EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(77)}, &keys), "all");
  EXPECT_THAT(Read(FirstRun(), 0, {}, &other_keys),
              HasSubstr("names no private key of the public key " + owner.recipient().key_id()));
  const auto files = Folder().Files().value();
  for (const ArchiveFile& file : files) {
    std::ifstream stream(Folder().PathOf(file.name), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(text.find("vvvvvvvv"), std::string::npos);
  }
}

TEST_F(ArchiveTest, AnEncryptedOneRollsForwardToExactlyThatCommit) {
  const Somebody owner("owner");
  Start(0, {.encrypt_to = owner.recipient()});
  Commit(1, 30);
  Stop();
  const auto store = RocksStore::Open({.path = temp_.path() + "/store",
                                       .tables = {{.name = "rows"}, {.name = "meta"}}})
                         .value();

  const auto moment =
      RollForward(*store, {.table = 1}, Folder(), FirstRun(), {}, {CommitIndex(17)}, owner.keys());

  ASSERT_TRUE(moment.ok()) << moment.status().message();
  EXPECT_EQ(moment->last, CommitIndex(17));
  EXPECT_TRUE(store->View()->Get(0, "17").value());
  EXPECT_FALSE(store->View()->Get(0, "18").value());
}

TEST_F(ArchiveTest, ABlockThatIsChangedWithItsChecksumIsNotWhatWasEncrypted) {
  const Somebody owner("owner");
  const RecipientKeys keys = owner.keys();
  Start(0, {.encrypt_to = owner.recipient()});
  Commit(1, 5);
  Stop();
  const auto files = Folder().Files().value();
  const std::string path = Folder().PathOf(files.front().name);
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  ArchiveFileReader reader(*disk_, path, files.front().name);
  const ArchiveBlock block = reader.Next().value().value();
  std::string changed = block.data;
  changed[3] ^= 1;
  const std::size_t place = text.find(block.head.Encode(block.data));
  text.replace(place, ArchiveBlockHead::kBytes + changed.size(),
               block.head.Encode(changed) + changed);
  std::ofstream(path, std::ios::binary) << text;

  EXPECT_THAT(Read(FirstRun(), 0, {}, &keys), HasSubstr("it is not what was encrypted"));
}

TEST_F(ArchiveTest, ARunIsEncryptedToOneKeyOrToNone) {
  const Somebody owner("owner");
  Start();
  Commit(1, 5);
  Stop();
  Start(5, {.encrypt_to = owner.recipient()});
  Commit(6, 10);
  Stop();
  Start(10);
  Commit(11, 12);
  Stop();

  EXPECT_THAT(Runs(), ElementsAre("1-5", "6-10", "11-12"));
  const auto runs = Folder().Runs().value();
  EXPECT_EQ(runs[0].encrypted_to + runs[2].encrypted_to, "");
  EXPECT_EQ(runs[1].encrypted_to, owner.recipient().key_id());
  EXPECT_GT(Folder().CountClear().value(), 0);
}

TEST_F(ArchiveTest, AnEncryptedOneThatACrashHasTornGoesOn) {
  const Somebody owner("owner");
  const RecipientKeys keys = owner.keys();
  Start(0, {.encrypt_to = owner.recipient()});
  AddEntry(1, 5);
  Commit(1, 5);
  Stop();
  const auto files = Folder().Files().value();
  const std::string file = Folder().PathOf(files.back().name);
  const auto whole = fs::file_size(file);
  for (std::uintmax_t size = 0; size < whole; size += 41) {
    SCOPED_TRACE(size);
    fs::resize_file(file, size);

    Start(5, {.encrypt_to = owner.recipient()});
    Stop();

    EXPECT_THAT(Runs(), ElementsAre("1-5"));
    EXPECT_EQ(Read(FirstRun(), 0, {.index = CommitIndex(5)}, &keys), "all");
  }
}

TEST_F(ArchiveTest, ABatchWhoseBeginningIsCutOffIsLeftOut) {
  const std::string large = BatchOf(1, 100);
  for (std::uint32_t part = 0; part < 2; ++part) {
    const EntryHead head{.term = 1, .part = part, .parts = 2};
    const LogEntry entry{part + 1, 1, EntryKind::kBatch,
                         EncodeEntry(head, large.substr(part * 50, 50))};
    ASSERT_TRUE(log_.Append({&entry, 1}, std::nullopt).ok());
  }
  AddEntry(2, 4);

  EXPECT_EQ(CountBatches(log_, 0, 3).value(), 4);
  EXPECT_EQ(CountBatches(log_, 1, 3).value(), 3);
}

}  // namespace
}  // namespace wharf
