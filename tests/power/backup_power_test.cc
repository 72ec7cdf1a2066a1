// Power cuts at each change that the making, removing and restoring of backups does to the disk.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/archive/archive_writer.h"
#include "storage/archive/roll_forward.h"
#include "storage/backup/backup_folder.h"
#include "storage/backup/backup_writer.h"
#include "storage/backup/mark_secret.h"
#include "storage/backup/restored_folder.h"
#include "storage/rocks/rocks_folder.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/storage/recipient_pair.h"

namespace wharf {
namespace {

// With an owner its backups are encrypted.
class BackupStory {
 public:
  explicit BackupStory(const Somebody* owner = nullptr) : owner_(owner) {
    EXPECT_TRUE(MakeFolder(*file_system_, "/data/checkpoint").ok());
    for (const char* name : {"000001.blob", "000002.blob", "CURRENT"}) {
      EXPECT_TRUE(rocksdb::WriteStringToFile(file_system_.get(), std::string(70'000, *name),
                                             std::string("/data/checkpoint/") + name, true)
                      .ok());
    }
    EXPECT_TRUE(SyncFolder(*file_system_, "/data/checkpoint").ok());
    EXPECT_TRUE(MakeFolder(*file_system_, "/backups").ok());
    EXPECT_TRUE(Make("one").ok());
  }

  PowerLossDisk& disk() { return file_system_->disk(); }

  Status Make(const std::string& label) {
    const auto hold = folder_.BeginWork();
    if (!hold.ok()) return hold.status();
    BackupManifest head{
        .label = label, .created_at = Timestamp(Duration(++made_)), .store = "a-store"};
    const BackupFiles files{*file_system_, pace_};
    std::optional<BackupWriter::Encryption> encryption;
    if (owner_ != nullptr) {
      head.encrypted_to = owner_->recipient().key_id();
      encryption = {owner_->recipient(), SecretOfMarks("/data", file_system_).value()};
    }
    const BackupWriter writer(folder_, files, encryption);
    auto plan = writer.Look("/data/checkpoint", head);
    if (!plan.ok()) return plan.status();
    return writer.Write("/data/checkpoint", *std::move(plan), head);
  }

  Status Remove(const std::string& label) {
    const auto hold = folder_.BeginWork();
    return hold.ok() ? folder_.Remove(label) : hold.status();
  }

  bool Has(const std::string& label) const { return folder_.Read(label).ok(); }

  // What is shown can be used, and the next work goes well and leaves nothing of before.
  void Check() {
    const auto found = folder_.List();
    ASSERT_TRUE(found.ok()) << found.status().message();
    for (const auto& each : *found) {
      const auto manifest = folder_.Read(each.label);
      ASSERT_TRUE(manifest.ok()) << manifest.status().message();
      const Status whole = VerifyBackup(folder_, *manifest, {*file_system_, pace_});
      EXPECT_TRUE(whole.ok()) << whole.message();
    }
    const Status made = Make("next");
    EXPECT_TRUE(made.ok()) << made.message();
    std::vector<std::string> names;
    ASSERT_TRUE(file_system_->GetChildren("/backups", kNoOptions, &names, nullptr).ok());
    for (const std::string& name : names) EXPECT_FALSE(name.starts_with(".")) << name;
  }

 private:
  const Somebody* const owner_;
  const std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  const BackupFolder folder_{file_system_, "/backups"};
  CopyPace pace_{0};
  int made_ = 0;
};

// At each change of making a second one.
void CutEachChange(const Somebody* owner) {
  bool was_cut = true;
  for (std::uint64_t change = 1; was_cut; ++change) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(fmt::format("change {}, seed {}", change, seed));
      BackupStory story(owner);
      story.disk().CutPowerAfter(change, seed);

      const Status made = story.Make("two");

      was_cut = !story.disk().has_power();
      EXPECT_EQ(made.ok(), !was_cut);
      if (was_cut) story.disk().Reboot();
      story.disk().CutPowerAfter(0, 0);
      EXPECT_TRUE(story.Has("one"));
      EXPECT_TRUE(!made.ok() || story.Has("two"));
      story.Check();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(BackupPowerTest, ACutAtAnyChangeLeavesAWholeBackupOrNone) { CutEachChange(nullptr); }

TEST(BackupPowerTest, ACutAtAnyChangeLeavesAWholeEncryptedBackupOrNone) {
  const Somebody owner("owner");
  CutEachChange(&owner);
}

TEST(BackupPowerTest, ACutAtAnyChangeOfARemovalLeavesTheOthers) {
  bool was_cut = true;
  for (std::uint64_t change = 1; was_cut; ++change) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(fmt::format("change {}, seed {}", change, seed));
      BackupStory story;
      ASSERT_TRUE(story.Make("two").ok());
      story.disk().CutPowerAfter(change, seed);

      const Status removed = story.Remove("one");

      was_cut = !story.disk().has_power();
      EXPECT_EQ(removed.ok(), !was_cut);
      if (was_cut) story.disk().Reboot();
      story.disk().CutPowerAfter(0, 0);
      EXPECT_TRUE(story.Has("two"));
      EXPECT_FALSE(removed.ok() && story.Has("one"));
      story.Check();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(BackupPowerTest, AFullDiskIsOneSentenceAndLeavesNothing) {
  BackupStory story;
  story.disk().SetCapacity(story.disk().used_bytes() + 1000);

  const Status made = story.Make("two");

  EXPECT_EQ(made.code(), ErrorCode::kQuotaExceeded);
  story.disk().ClearFaults();
  EXPECT_FALSE(story.Has("two"));
  story.Check();
}

TEST(BackupPowerTest, AWriteThatFindsNoSpaceLeavesNothing) {
  BackupStory story;
  story.disk().FailWrites(1, rocksdb::IOStatus::NoSpace("no space"),
                          PowerLossDisk::Times::kFromThenOn);

  const Status made = story.Make("two");

  EXPECT_NE(made.message().find("the disk is full"), std::string::npos) << made.message();
  story.disk().ClearFaults();
  EXPECT_FALSE(story.Has("two"));
  story.Check();
}

// Of cuts, one after which the backup is restored once more; the disk is the same behind each.
constexpr std::uint64_t kRestoredAgain = 16;

// A store with some rows, a backup of it, and folders that it is restored into; with an owner the
// backup is encrypted, and so is an archive that it is rolled forward with.
class RestoreStory {
 public:
  explicit RestoreStory(const Somebody* owner = nullptr) : owner_(owner) {
    EXPECT_TRUE(MakeFolder(*file_system_, "/backups").ok());
    const auto store = RocksStore::Open(OptionsOf("/data"));
    EXPECT_TRUE(store.ok()) << store.status().message();
    EXPECT_TRUE((*store)->Write(std::vector{RowsOf("a", "b")}, RocksStore::Sync::kYes).ok());
    EXPECT_TRUE((*store)->Checkpoint("/data/checkpoint").ok());
    const BackupFolder folder(file_system_, "/backups");
    const auto hold = folder.BeginWork();
    CopyPace pace(0);
    const BackupFiles files{*file_system_, pace};
    BackupManifest head{.label = "one", .store = "a-store"};
    std::optional<BackupWriter::Encryption> encryption;
    if (owner_ != nullptr) {
      head.encrypted_to = owner_->recipient().key_id();
      head.archive_run = kRun;
      encryption = {owner_->recipient(), "a secret"};
      Archive();
    }
    const BackupWriter writer(folder, files, encryption);
    EXPECT_TRUE(
        writer.Write("/data/checkpoint", writer.Look("/data/checkpoint", head).value(), head).ok());
  }

  PowerLossDisk& disk() { return file_system_->disk(); }

  Status Restore(const std::string& target) {
    RestoreOptions options{.backup = "/backups/one",
                           .target = target,
                           .tables = Tables(),
                           .position = {.table = 1},
                           .file_system = file_system_};
    if (owner_ != nullptr) {
      options.keys = owner_->keys();
      options.until = RestoreUntil{.index = CommitIndex(kArchived)};
      options.roll_forward = [this](const BackupManifest& manifest, const ArchiveFolder& archive,
                                    RocksStore& store) {
        return RollForward(store, {.table = 1}, archive, manifest.archive_run, {},
                           {.index = CommitIndex(kArchived)}, owner_->keys())
            .status();
      };
    }
    return RestoreBackup(options,
                         [](RocksStore& store) {
                           return store.Write(std::vector{RowsOf("restored", "c")},
                                              RocksStore::Sync::kNo);
                         })
        .status();
  }

  bool Has(const std::string& path) {
    return file_system_->FileExists(path, kNoOptions, nullptr).ok();
  }

  // What a start would open: no mark says that it is half of one.
  bool IsOffered(const std::string& target) {
    return Has(target + "/CURRENT") && !Has(target + "/RESTORING");
  }

  // All that was backed up is there, and what was written before anybody sees it.
  void CheckWhole(const std::string& target) {
    const auto store = RocksStore::Open(OptionsOf(target));
    ASSERT_TRUE(store.ok()) << store.status().message();
    const auto view = (*store)->View();
    for (const char* key : {"a", "b", "restored", "c"}) {
      EXPECT_TRUE(view->Get(0, key).value().has_value()) << key;
    }
    for (std::uint64_t commit = 1; owner_ != nullptr && commit <= kArchived; ++commit) {
      EXPECT_TRUE(view->Get(0, std::to_string(commit)).value().has_value()) << commit;
    }
  }

  // The backup is as it was.
  void CheckRestoresAgain() {
    const Status again = Restore("/again");
    EXPECT_TRUE(again.ok()) << again.message();
    CheckWhole("/again");
  }

 private:
  static constexpr std::uint64_t kRun = 7;
  static constexpr std::uint64_t kArchived = 6;

  static TableSet Tables() { return {{.name = "rows"}, {.name = "meta"}}; }

  // A block of two commits at a time.
  void Archive() {
    const ArchiveFolder folder(file_system_, "/backups", "a-store");
    EXPECT_TRUE(folder.Make().ok());
    ArchiveWriter writer(folder, {1 << 20, 1 << 10, owner_->recipient()});
    EXPECT_TRUE(writer.Begin(kRun, CommitIndex(1)).ok());
    for (std::uint64_t commit = 2; commit <= kArchived; commit += 2) {
      const std::string one = RowsOf(std::to_string(commit - 1), "x").bytes();
      const std::string other = RowsOf(std::to_string(commit), "y").bytes();
      EXPECT_TRUE(writer
                      .Append({{CommitIndex(commit - 1), 1, Timestamp(), one},
                               {CommitIndex(commit), 1, Timestamp(), other}})
                      .ok());
    }
    EXPECT_TRUE(writer.End().ok());
  }

  static WriteBatch RowsOf(const std::string& one, const std::string& other) {
    WriteBatch batch;
    batch.Put(0, one, std::string(1000, '1'));
    batch.Put(0, other, std::string(1000, '2'));
    return batch;
  }
  RocksStoreOptions OptionsOf(const std::string& path) {
    return {.path = path, .tables = Tables(), .file_system = file_system_, .may_sleep = false};
  }

  const Somebody* const owner_;
  const std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
};

void CutEachChangeOfARestore(const Somebody* owner) {
  bool was_cut = true;
  for (std::uint64_t change = 1; was_cut; ++change) {
    SCOPED_TRACE(fmt::format("change {}", change));
    RestoreStory story(owner);
    story.disk().CutPowerAfter(change, /*seed=*/change);

    const Status restored = story.Restore("/restored");

    was_cut = !story.disk().has_power();
    EXPECT_TRUE(restored.ok() || was_cut) << restored.message();
    if (was_cut) story.disk().Reboot();
    story.disk().CutPowerAfter(0, 0);
    EXPECT_TRUE(!restored.ok() || story.IsOffered("/restored"));
    if (story.IsOffered("/restored")) story.CheckWhole("/restored");
    if (change % kRestoredAgain == 0) story.CheckRestoresAgain();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RestorePowerTest, ACutAtAnyChangeLeavesAWholeFolderOrNoneThatStarts) {
  CutEachChangeOfARestore(nullptr);
}

TEST(RestorePowerTest, ACutAtAnyChangeOfRollingForwardLeavesAllOfItOrNoneThatStarts) {
  const Somebody owner("owner");
  CutEachChangeOfARestore(&owner);
}

TEST(RestorePowerTest, ADiskThatIsFullAtAnyWriteLeavesNothing) {
  bool has_failed = true;
  for (std::uint64_t write = 1; has_failed; ++write) {
    SCOPED_TRACE(fmt::format("write {}", write));
    RestoreStory story;
    story.disk().FailWrites(write, rocksdb::IOStatus::NoSpace("no space"),
                            PowerLossDisk::Times::kFromThenOn);

    const Status restored = story.Restore("/restored");

    has_failed = !restored.ok();
    story.disk().ClearFaults();
    EXPECT_FALSE(has_failed && story.Has("/restored")) << restored.message();
    if (!has_failed) story.CheckWhole("/restored");
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace wharf
