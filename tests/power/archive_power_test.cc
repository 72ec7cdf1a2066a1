// Power cuts at each change that archiving does to the disk.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/apply/entry.h"
#include "storage/archive/archive_reader.h"
#include "storage/archive/batch_archive.h"
#include "storage/memory/memory_entry_log.h"
#include "storage/rocks/rocks_folder.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

std::string ArchivedBatchOf(std::uint64_t commit) {
  WriteBatch batch;
  batch.Put(0, std::to_string(commit), std::string(100, 'v'));
  batch.NoteTime(Timestamp(std::chrono::seconds(commit)));
  return batch.bytes();
}

// The log is on another disk, and has all that was committed.
class ArchiveStory {
 public:
  ArchiveStory() {
    EXPECT_TRUE(MakeFolder(*file_system_, "/data").ok());
    EXPECT_TRUE(MakeFolder(*file_system_, "/backups").ok());
  }

  PowerLossDisk& disk() { return file_system_->disk(); }

  // A life of the broker in which so much is committed.
  void Live(std::uint64_t commits) {
    BatchArchive archive(
        {.backups = "/backups", .data = "/data", .bytes_max = 1 << 20, .file_system = file_system_},
        {[this] { return Timestamp(Duration(++time_)); }});
    archive.Begin("mine", log_, {.index = log_.last_index()}, CommitIndex(log_.last_index()));
    for (; commits > 0; --commits) {
      const std::uint64_t next = log_.last_index() + 1;
      const LogEntry entry{next, 1, EntryKind::kBatch,
                           EncodeEntry({.term = 1}, ArchivedBatchOf(next))};
      EXPECT_TRUE(log_.Append({&entry, 1}, std::nullopt).ok());
      archive.OnBatches(CommitIndex(next), 1, ArchivedBatchOf(next));
    }
    archive.Stop();
  }

  // Each run has what was committed, and the last one goes on to the end.
  void Check() {
    const ArchiveFolder folder(file_system_, "/backups", "mine");
    const auto runs = folder.Runs();
    ASSERT_TRUE(runs.ok()) << runs.status().message();
    ASSERT_FALSE(runs->empty());
    for (const ArchiveRun& run : *runs) CheckRun(folder, run);
    EXPECT_EQ(runs->back().last.value(), log_.last_index());
  }

 private:
  static void CheckRun(const ArchiveFolder& folder, const ArchiveRun& run) {
    ArchiveReader reader(folder, run.run);
    ASSERT_TRUE(reader.Seek(run.first).ok());
    std::uint64_t next = run.first.value();
    while (true) {
      const auto block = reader.Next();
      ASSERT_TRUE(block.ok()) << block.status().message();
      if (!*block) break;
      const auto records = RecordsOf((*block)->head, (*block)->data);
      ASSERT_TRUE(records.ok());
      for (const ArchivedBatches& each : *records) EXPECT_EQ(each.bytes, ArchivedBatchOf(next++));
    }
    EXPECT_EQ(next, run.last.value() + 1);
  }

  const QuietLog quiet_;
  const std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  MemoryEntryLog log_;
  std::int64_t time_ = 0;
};

TEST(ArchivePowerTest, ACutAtAnyChangeIsFilledFromTheLogOrBeginsAnotherRun) {
  bool was_cut = true;
  for (std::uint64_t change = 1; was_cut; ++change) {
    SCOPED_TRACE(fmt::format("change {}", change));
    ArchiveStory story;
    story.Live(20);
    story.disk().CutPowerAfter(change, /*seed=*/change);

    story.Live(20);

    was_cut = !story.disk().has_power();
    if (was_cut) story.disk().Reboot();
    story.disk().CutPowerAfter(0, 0);
    story.Live(20);
    story.Check();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace wharf
