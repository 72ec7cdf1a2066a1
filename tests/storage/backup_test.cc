// Backups: what is in their folder, what they share, and what becomes a data folder again.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>

#include "storage/backup/backup_folder.h"
#include "storage/backup/backup_label.h"
#include "storage/backup/backup_writer.h"
#include "storage/backup/restored_folder.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TableId kMeta = 0;
constexpr TableId kRows = 1;

TableSet Tables() { return {{.name = "meta"}, {.name = "rows"}}; }

BackupManifest SampleManifest() {
  return {
      .label = "monday",
      .created_at = Timestamp(std::chrono::hours(7)),
      .version = "1.0",
      .store = "a-store",
      .commits = 12,
      .shared_bytes = 3,
      .files = {{"000012.sst", 3, std::string(64, 'a')}, {"CURRENT", 16, std::string(64, '0')}}};
}

TEST(BackupLabelTest, ALabelIsNeverAPath) {
  for (const char* good : {"monday", "2026-11-26", "a.b_c", "9"}) {
    EXPECT_TRUE(CheckBackupLabel(good).ok()) << good;
  }
  for (const char* bad : {"", ".", "..", "../x", "a/b", "/etc", ".hidden", "a b", "a\n", "-x"}) {
    EXPECT_EQ(CheckBackupLabel(bad).code(), ErrorCode::kArgumentError) << bad;
  }
  EXPECT_FALSE(CheckBackupLabel(std::string(65, 'a')).ok());
  EXPECT_EQ(BackupLabelOf(Timestamp(std::chrono::hours(24))), "19700102-000000");
}

TEST(BackupManifestTest, IsReadAsItWasWritten) {
  const BackupManifest manifest = SampleManifest();
  EXPECT_EQ(BackupManifest::Decode(manifest.Encode(), "it").value(), manifest);
  EXPECT_EQ(manifest.bytes(), 19);
}

TEST(BackupManifestTest, AFlippedByteAnywhereIsDamage) {
  const std::string text = SampleManifest().Encode();
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string flipped = text;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    EXPECT_TRUE(BackupManifest::Decode(flipped, "it").status().is_damage()) << at;
    EXPECT_TRUE(BackupManifest::Decode(text.substr(0, at), "it").status().is_damage()) << at;
  }
}

TEST(BackupManifestTest, NamesNoFileOfAnotherFolder) {
  for (const char* name : {"../CURRENT", "a/b", ".", "", "MANIFEST", ".x"}) {
    BackupManifest manifest = SampleManifest();
    manifest.files = {{name, 1, std::string(64, 'a')}};
    EXPECT_FALSE(BackupManifest::Decode(manifest.Encode(), "it").ok()) << name;
  }
}

class BackupFolderTest : public ::testing::Test {
 protected:
  BackupFolderTest() {
    fs::create_directory(checkpoint_);
    Put("000012.blob", "bodies");
    Put("CURRENT", "MANIFEST-000001");
  }

  void Put(const std::string& name, const std::string& content) {
    std::ofstream(checkpoint_ + "/" + name) << content;
  }

  BackupFiles Files() { return {folder_.file_system(), pace_}; }

  Status Make(const std::string& label, const std::string& store = "a-store") {
    const auto hold = folder_.BeginWork();
    if (!hold.ok()) return hold.status();
    BackupManifest head{.label = label, .created_at = Timestamp(Duration(++made_)), .store = store};
    const BackupFiles files = Files();
    const BackupWriter writer(folder_, files);
    auto plan = writer.Look(checkpoint_, head);
    if (!plan.ok()) return plan.status();
    return writer.Write(checkpoint_, *std::move(plan), head);
  }

  std::vector<std::string> Labels() {
    std::vector<std::string> labels;
    const auto found = folder_.List();
    EXPECT_TRUE(found.ok()) << found.status().message();
    for (const auto& each : *found) labels.push_back(each.label);
    return labels;
  }

  std::string PathOf(const std::string& label, const std::string& name) const {
    return folder_.PathOf(label) + "/" + name;
  }

  Status Verify(const std::string& label) {
    return VerifyBackup(folder_, folder_.Read(label).value(), Files());
  }

  TempFolder temp_;
  const std::string checkpoint_ = temp_.path() + "/checkpoint";
  const BackupFolder folder_{nullptr, temp_.path() + "/backups"};
  CopyPace pace_{0};
  int made_ = 0;
};

TEST_F(BackupFolderTest, HasWhatTheCheckpointHad) {
  EXPECT_THAT(Labels(), IsEmpty());

  ASSERT_TRUE(Make("one").ok());

  EXPECT_THAT(Labels(), ElementsAre("one"));
  EXPECT_TRUE(Verify("one").ok());
  EXPECT_EQ(folder_.Read("one")->files.size(), 2);
  EXPECT_EQ(folder_.Read("two").status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(folder_.Read("../one").status().code(), ErrorCode::kArgumentError);
}

TEST_F(BackupFolderTest, SharesWhatNeverChangesAndCopiesTheRest) {
  ASSERT_TRUE(Make("one").ok());
  Put("000013.blob", "more");
  ASSERT_TRUE(Make("two").ok());

  EXPECT_EQ(fs::hard_link_count(PathOf("two", "000012.blob")), 2);
  EXPECT_EQ(fs::hard_link_count(PathOf("two", "000013.blob")), 1);
  EXPECT_EQ(fs::hard_link_count(PathOf("two", "CURRENT")), 1);
  EXPECT_EQ(folder_.Read("two")->shared_bytes, 6);

  ASSERT_TRUE(folder_.Remove("one").ok());
  EXPECT_THAT(Labels(), ElementsAre("two"));
  EXPECT_TRUE(Verify("two").ok());
}

TEST_F(BackupFolderTest, SharesNothingWithAnotherStore) {
  ASSERT_TRUE(Make("one").ok());
  Put("000012.blob", "BODIES");
  ASSERT_TRUE(Make("two", "another-store").ok());

  EXPECT_EQ(fs::hard_link_count(PathOf("two", "000012.blob")), 1);
  EXPECT_TRUE(Verify("two").ok());
}

// Of a data folder that was copied, and went on twice.
TEST_F(BackupFolderTest, AFileThatIsOnlyCalledAlikeIsCopied) {
  ASSERT_TRUE(Make("one").ok());
  Put("000012.blob", "others");
  ASSERT_TRUE(Make("two").ok());

  EXPECT_EQ(fs::hard_link_count(PathOf("two", "000012.blob")), 1);
  EXPECT_EQ(folder_.Read("two")->shared_bytes, 0);
  EXPECT_TRUE(Verify("one").ok());
  EXPECT_TRUE(Verify("two").ok());
}

// Both copies stored bodies of one size, and the last ones are the same again.
TEST_F(BackupFolderTest, BodiesThatDifferFarBeforeTheirEndAreNotShared) {
  const std::string same(100'000, 'x');
  Put("000012.blob", "ours" + same);
  ASSERT_TRUE(Make("one").ok());
  Put("000012.blob", "your" + same);
  ASSERT_TRUE(Make("two").ok());

  EXPECT_EQ(fs::hard_link_count(PathOf("two", "000012.blob")), 1);
  EXPECT_NE(folder_.Read("one")->Find("000012.blob")->sha256,
            folder_.Read("two")->Find("000012.blob")->sha256);
  EXPECT_TRUE(Verify("two").ok());
}

TEST_F(BackupFolderTest, TheLastMadeIsTheNewestHoweverTheClockWent) {
  ASSERT_TRUE(Make("one").ok());
  made_ = 1'000'000;
  ASSERT_TRUE(Make("ahead").ok());
  made_ = 2;
  ASSERT_TRUE(Make("back").ok());
  ASSERT_TRUE(Make("again").ok());

  EXPECT_THAT(Labels(), ElementsAre("one", "ahead", "back", "again"));
}

TEST_F(BackupFolderTest, AFileThatTheEarlierOneHasLostIsCopied) {
  ASSERT_TRUE(Make("one").ok());
  fs::remove(PathOf("one", "000012.blob"));
  ASSERT_TRUE(Make("two").ok());

  EXPECT_TRUE(Verify("two").ok());
  EXPECT_FALSE(Verify("one").ok());
}

TEST_F(BackupFolderTest, AFlippedByteIsFound) {
  ASSERT_TRUE(Make("one").ok());
  std::fstream(PathOf("one", "000012.blob"), std::ios::in | std::ios::out) << 'B';

  const Status found = Verify("one");

  EXPECT_TRUE(found.is_damage());
  EXPECT_THAT(found.message(), HasSubstr("000012.blob is damaged"));
}

TEST_F(BackupFolderTest, ADamagedManifestIsShownAndLeftAlone) {
  ASSERT_TRUE(Make("one").ok());
  std::fstream(PathOf("one", "MANIFEST"), std::ios::in | std::ios::out) << '!';

  const auto found = folder_.List().value();

  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front().manifest.status().message(), HasSubstr("MANIFEST is damaged"));
  ASSERT_TRUE(Make("two").ok());
  EXPECT_THAT(Labels(), ElementsAre("one", "two"));
}

// Nobody waits for somebody who writes to it.
TEST_F(BackupFolderTest, AManifestOrAFileThatIsAPipeIsDamage) {
  ASSERT_TRUE(Make("one").ok());
  fs::create_directory(folder_.PathOf("pipe"));
  ASSERT_EQ(mkfifo(PathOf("pipe", "MANIFEST").c_str(), 0600), 0);
  fs::remove(PathOf("one", "CURRENT"));
  ASSERT_EQ(mkfifo(PathOf("one", "CURRENT").c_str(), 0600), 0);

  EXPECT_THAT(folder_.Read("pipe").status().message(), HasSubstr("MANIFEST is damaged: it is no"));
  EXPECT_THAT(Labels(), ElementsAre("pipe", "one"));
  EXPECT_THAT(Verify("one").message(), HasSubstr("CURRENT is damaged: it is no regular file"));
  EXPECT_TRUE(Make("two").ok());
}

TEST_F(BackupFolderTest, ATableThatIsDamagedIsNotKept) {
  Put("000014.sst", std::string(5000, 'x'));

  const Status made = Make("one");

  EXPECT_THAT(made.message(), HasSubstr("is damaged, and no backup is made of it"));
  EXPECT_THAT(Labels(), IsEmpty());
  EXPECT_FALSE(fs::exists(folder_.PathOf(".unfinished")));
}

TEST_F(BackupFolderTest, BackupsOfAnotherBrokerAreNotCountedOut) {
  for (const char* label : {"one", "two", "three"}) ASSERT_TRUE(Make(label).ok());
  for (const char* label : {"x", "y"}) ASSERT_TRUE(Make(label, "another-store").ok());

  EXPECT_THAT(folder_.LabelsBefore({.store = "a-store"}, 2).value(), ElementsAre("one"));
  EXPECT_THAT(folder_.LabelsBefore({.store = "another-store"}, 1).value(), ElementsAre("x"));
  EXPECT_THAT(folder_.LabelsBefore({.store = "another-store"}, 3).value(), IsEmpty());
}

TEST(BackupManifestTest, ANodeIsTheSameWithAnotherStore) {
  const BackupManifest node{
      .is_of_node = true, .cluster_id = "c", .node_name = "n1", .store = "before"};
  BackupManifest later = node;
  later.store = "after";
  BackupManifest other = node;
  other.node_name = "n2";
  const BackupManifest single{.store = "before"};

  EXPECT_TRUE(node.IsOfSameBroker(later));
  EXPECT_FALSE(node.IsOfSameBroker(other));
  EXPECT_FALSE(node.IsOfSameBroker(single));
  EXPECT_TRUE(single.IsOfSameBroker(single));
}

TEST_F(BackupFolderTest, ALabelIsTakenOnce) {
  ASSERT_TRUE(Make("one").ok());

  EXPECT_EQ(Make("one").code(), ErrorCode::kMessagingEntityAlreadyExists);
  EXPECT_TRUE(Verify("one").ok());
}

TEST_F(BackupFolderTest, OneWorksThereAtATime) {
  const auto hold = folder_.BeginWork();
  ASSERT_TRUE(hold.ok());

  EXPECT_EQ(Make("one").code(), ErrorCode::kServiceBusy);
}

TEST_F(BackupFolderTest, WhatWasNotFinishedGoesAndWhatIsForeignStays) {
  ASSERT_TRUE(Make("one").ok());
  fs::create_directory(folder_.PathOf(".unfinished"));
  std::ofstream(PathOf(".unfinished", "000012.blob")) << "half";
  fs::create_directory(folder_.PathOf("notes"));
  std::ofstream(PathOf("notes", "todo")) << "buy milk";

  EXPECT_THAT(Labels(), ElementsAre("one"));
  ASSERT_TRUE(folder_.BeginWork().ok());

  EXPECT_FALSE(fs::exists(folder_.PathOf(".unfinished")));
  EXPECT_TRUE(fs::exists(PathOf("notes", "todo")));
}

TEST_F(BackupFolderTest, ALinkToABackupIsShownAndNeitherIsRemoved) {
  ASSERT_TRUE(Make("one").ok());
  fs::rename(folder_.PathOf("one"), temp_.path() + "/elsewhere");
  fs::create_directory_symlink(temp_.path() + "/elsewhere", folder_.PathOf("link"));

  const auto found = folder_.List().value();
  const Status removed = folder_.Remove("link");

  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front().manifest.status().message(), HasSubstr("link is a link"));
  EXPECT_THAT(removed.message(), HasSubstr("link is a link"));
  EXPECT_TRUE(fs::exists(temp_.path() + "/elsewhere/MANIFEST"));
  EXPECT_TRUE(fs::is_symlink(folder_.PathOf("link")));
  EXPECT_TRUE(Make("two").ok());
}

TEST_F(BackupFolderTest, ABackupWithAFolderInItIsShownAndNotRemoved) {
  ASSERT_TRUE(Make("one").ok());
  fs::create_directory(PathOf("one", "mine"));

  const auto found = folder_.List().value();
  const Status removed = folder_.Remove("one");

  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front().manifest.status().message(), HasSubstr("has a folder 'mine' in it"));
  EXPECT_THAT(removed.message(), HasSubstr("has a folder 'mine' in it"));
  EXPECT_TRUE(Verify("one").ok());
}

TEST_F(BackupFolderTest, LeftoversThatAreLinksGoAndWhatTheyLeadToStays) {
  ASSERT_TRUE(Make("one").ok());
  fs::create_directory(temp_.path() + "/precious");
  std::ofstream(temp_.path() + "/precious/mine") << "x";
  fs::create_directory_symlink(temp_.path() + "/precious", folder_.PathOf(".removed"));
  fs::create_directory_symlink(temp_.path() + "/nowhere", folder_.PathOf(".unfinished"));

  EXPECT_TRUE(Make("two").ok());

  EXPECT_TRUE(fs::exists(temp_.path() + "/precious/mine"));
  EXPECT_FALSE(fs::is_symlink(folder_.PathOf(".removed")));
  EXPECT_FALSE(fs::is_symlink(folder_.PathOf(".unfinished")));
}

TEST_F(BackupFolderTest, LeftoversThatCannotBeRemovedKeepNobodyFromWork) {
  ASSERT_TRUE(Make("one").ok());
  for (const char* name : {".removed", ".unfinished"}) {
    fs::create_directories(folder_.PathOf(name) + "/mine");
    std::ofstream(PathOf(name, "000012.blob")) << "half";
  }

  EXPECT_TRUE(Make("two").ok());
  EXPECT_TRUE(folder_.Remove("one").ok());

  EXPECT_THAT(Labels(), ElementsAre("two"));
  EXPECT_TRUE(Verify("two").ok());
  EXPECT_TRUE(fs::exists(PathOf(".removed", "mine")));
  EXPECT_FALSE(fs::exists(PathOf(".removed", "000012.blob")));
  EXPECT_FALSE(fs::exists(folder_.PathOf(".removed-2")));
  EXPECT_FALSE(fs::exists(folder_.PathOf(".unfinished-2")));
}

TEST_F(BackupFolderTest, WorkThatIsEndedLeavesNothing) {
  pace_.End({ErrorCode::kGeneralError, "enough"});

  EXPECT_EQ(Make("one").message(), "enough");
  EXPECT_THAT(Labels(), IsEmpty());
  EXPECT_FALSE(fs::exists(folder_.PathOf(".unfinished")));
}

TEST_F(BackupFolderTest, APaceIsKept) {
  CopyPace slow(std::uint64_t{1} << 20);
  const auto begin = std::chrono::steady_clock::now();

  ASSERT_TRUE(slow.Spend(100 << 10).ok());

  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(90));
}

// A store of a broker by itself, a backup of it, and what becomes of that.
class RestoreTest : public BackupFolderTest {
 protected:
  void Open() { store_ = RocksStore::Open({.path = data_, .tables = Tables()}).value(); }

  void Write(const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(kRows, key, value);
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  void Backup(const std::string& label) {
    fs::remove_all(checkpoint_);
    ASSERT_TRUE(store_->Checkpoint(checkpoint_).ok());
    ASSERT_TRUE(Make(label, StoreNameIn(data_).value()).ok());
  }

  Result<BackupManifest> Restore(const std::string& label, const std::string& target) {
    return RestoreBackup({folder_.PathOf(label) + "/", target, Tables(), {kMeta}},
                         [](RocksStore& store) {
                           WriteBatch batch;
                           batch.Put(kRows, "restored", "yes");
                           return store.Write({&batch, 1}, RocksStore::Sync::kNo);
                         });
  }

  static std::map<std::string, std::string> RowsOf(const std::string& path) {
    const auto store = RocksStore::Open({.path = path, .tables = Tables()});
    EXPECT_TRUE(store.ok()) << store.status().message();
    const auto view = (*store)->View();
    std::map<std::string, std::string> rows;
    for (const auto row = view->Scan(kRows, {"", "~"}); row->valid(); row->Next()) {
      rows.emplace(row->key(), row->value());
    }
    return rows;
  }

  const std::string data_ = temp_.path() + "/data";
  const std::string target_ = temp_.path() + "/restored";
  std::unique_ptr<RocksStore> store_;
};

TEST_F(RestoreTest, BringsBackWhatWasCommittedAndNothingLater) {
  Open();
  Write("a", "1");
  Backup("one");
  Write("b", "2");
  Backup("two");

  ASSERT_TRUE(Restore("one", target_).ok());
  ASSERT_TRUE(Restore("two", target_ + "2").ok());

  EXPECT_EQ(RowsOf(target_), (std::map<std::string, std::string>{{"a", "1"}, {"restored", "yes"}}));
  EXPECT_EQ(RowsOf(target_ + "2"),
            (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}, {"restored", "yes"}}));
  EXPECT_EQ(fs::status(target_).permissions(), fs::perms::owner_all);
}

TEST_F(RestoreTest, IsAnotherStoreFromThenOn) {
  Open();
  Write("a", "1");
  Backup("one");

  ASSERT_TRUE(Restore("one", target_).ok());

  EXPECT_NE(StoreNameIn(target_).value(), StoreNameIn(data_).value());
}

TEST_F(RestoreTest, TheStateOfANodeBecomesABrokerByItself) {
  const StatePositionRow row{kMeta};
  store_ = RocksStore::Open({.path = data_, .tables = Tables(), .position = row}).value();
  WriteBatch batch;
  batch.Put(kRows, "a", "1");
  row.Put({.index = 3, .term = 1, .members = "all"}, batch);
  ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kNo).ok());
  fs::remove_all(checkpoint_);
  ASSERT_TRUE(store_->Checkpoint(checkpoint_).ok());
  {
    const auto hold = folder_.BeginWork();
    const BackupFiles files = Files();
    const BackupWriter writer(folder_, files);
    const BackupManifest head{.label = "one", .is_of_node = true};
    ASSERT_TRUE(writer.Write(checkpoint_, writer.Look(checkpoint_, head).value(), head).ok());
  }

  ASSERT_TRUE(Restore("one", target_).ok());

  EXPECT_EQ(RowsOf(target_), (std::map<std::string, std::string>{{"a", "1"}, {"restored", "yes"}}));
  const auto single = RocksStore::Open({.path = target_, .tables = Tables()}).value();
  EXPECT_EQ(row.Read(*single)->index, 0);
}

TEST_F(RestoreTest, PathsMayBeRelative) {
  Open();
  Write("a", "1");
  Backup("one");
  const fs::path before = fs::current_path();
  const RestoreOptions options{"one", "../restored", Tables(), {kMeta}};
  const RestoreOptions from_within{".", "../../restored-2", Tables(), {kMeta}};
  const auto nothing = [](RocksStore& /*store*/) { return Status(); };

  fs::current_path(folder_.PathOf("."));
  const auto restored = RestoreBackup(options, nothing);
  fs::current_path(folder_.PathOf("one"));
  const auto again = RestoreBackup(from_within, nothing);
  fs::current_path(before);

  EXPECT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(RowsOf(target_), (std::map<std::string, std::string>{{"a", "1"}}));
}

TEST_F(RestoreTest, NeedsANewFolder) {
  Open();
  Write("a", "1");
  Backup("one");
  fs::create_directory(target_);
  std::ofstream(target_ + "/mine") << "precious";

  EXPECT_THAT(Restore("one", target_).status().message(), HasSubstr("is not empty"));
  EXPECT_THAT(Restore("one", temp_.path() + "/no/where").status().message(),
              HasSubstr("there is no folder"));

  EXPECT_TRUE(fs::exists(target_ + "/mine"));
}

TEST_F(RestoreTest, NothingIsRestoredIntoABackup) {
  Open();
  Write("a", "1");
  Backup("one");

  for (const char* name : {"new", "new/deeper"}) {
    EXPECT_THAT(Restore("one", PathOf("one", name)).status().message(),
                HasSubstr("one is a backup"));
  }

  EXPECT_FALSE(fs::exists(PathOf("one", "new")));
  EXPECT_TRUE(Restore("one", folder_.PathOf("beside")).ok());
}

TEST_F(RestoreTest, OneThatFailsLeavesNothing) {
  Open();
  Write("a", "1");
  Backup("one");
  std::fstream(PathOf("one", "CURRENT"), std::ios::in | std::ios::out) << '!';

  EXPECT_THAT(Restore("one", target_).status().message(), HasSubstr("CURRENT is damaged"));

  EXPECT_FALSE(fs::exists(target_));
}

TEST_F(RestoreTest, WhatWasBrokenOffIsRefused) {
  Open();
  Write("a", "1");
  Backup("one");
  fs::create_directory(target_);
  std::ofstream(target_ + "/RESTORING") << "";

  EXPECT_THAT(CheckRestored(target_).message(), HasSubstr("a restore that did not end"));
  EXPECT_THAT(Restore("one", target_).status().message(), HasSubstr("remove it"));
  EXPECT_TRUE(fs::exists(target_ + "/RESTORING"));
  EXPECT_TRUE(CheckRestored(data_).ok());
}

TEST_F(RestoreTest, ABackupIsWholeWhileTheStoreIsWrittenTo) {
  Open();
  std::atomic<bool> is_over = false;
  std::atomic<int> written = 0;
  std::atomic<int> allowed = 0;
  std::thread writer([&] {
    while (!is_over) {
      if (written == allowed) continue;
      Write(std::to_string(written), std::string(20'000, 'x'));
      ++written;
    }
  });
  for (int round = 0; round < 8; ++round) {
    allowed += 200;
    while (written + 190 < allowed) continue;
    const int least = written;
    const std::string label = "b" + std::to_string(round);
    Backup(label);
    const int most = written + 1;

    EXPECT_TRUE(Restore(label, target_ + label).ok());

    const auto rows = RowsOf(target_ + label);
    const int count = static_cast<int>(rows.size()) - 1;
    EXPECT_GE(count, least);
    EXPECT_LE(count, most);
    for (int key = 0; key < count; ++key) EXPECT_TRUE(rows.contains(std::to_string(key))) << key;
  }
  is_over = true;
  writer.join();
}

}  // namespace
}  // namespace wharf
