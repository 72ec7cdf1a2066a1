// Backups that are encrypted: what is in their folder, what they share, and who restores them.
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "storage/backup/backup_folder.h"
#include "storage/backup/backup_writer.h"
#include "storage/backup/mark_secret.h"
#include "storage/backup/restored_folder.h"
#include "storage/backup/sha256.h"
#include "storage/sealed/recipient.h"
#include "tests/storage/recipient_pair.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Gives no second names for heads.
class NoLinksForHeads final : public rocksdb::FileSystemWrapper {
 public:
  NoLinksForHeads() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "NoLinksForHeads"; }
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    if (to.ends_with(".cms")) return rocksdb::IOStatus::NotSupported("no second names");
    return FileSystemWrapper::LinkFile(from, to, options, debug);
  }
};

// A store, and backups of it that are encrypted to somebody.
class EncryptedBackupTest : public ::testing::Test {
 protected:
  static constexpr TableId kMeta = 0;
  static constexpr TableId kRows = 1;
  static TableSet Tables() { return {{.name = "meta"}, {.name = "rows"}}; }

  EncryptedBackupTest() {
    fs::create_directory(temp_.path() + "/backups");
    store_ = RocksStore::Open({.path = data_, .tables = Tables()}).value();
  }

  void Write(const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(kRows, key, value);
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  Status Make(const std::string& label, const Somebody& somebody,
              std::shared_ptr<rocksdb::FileSystem> file_system = nullptr) {
    const BackupFolder folder(std::move(file_system), folder_path());
    fs::remove_all(checkpoint_);
    EXPECT_TRUE(store_->Checkpoint(checkpoint_).ok());
    const auto hold = folder.BeginWork();
    if (!hold.ok()) return hold.status();
    const Recipient recipient = somebody.recipient();
    const BackupManifest head{.label = label,
                              .created_at = Timestamp(Duration(++made_)),
                              .store = StoreNameIn(data_).value(),
                              .encrypted_to = recipient.key_id(),
                              .encrypted_to_name = recipient.name()};
    const BackupFiles files{folder.file_system(), pace_};
    const BackupWriter writer(folder, files,
                              BackupWriter::Encryption{recipient, SecretOfMarks(data_).value()});
    auto plan = writer.Look(checkpoint_, head);
    if (!plan.ok()) return plan.status();
    return writer.Write(checkpoint_, *std::move(plan), head);
  }

  Status Verify(const std::string& label) {
    return VerifyBackup(folder_, folder_.Read(label).value(), {folder_.file_system(), pace_});
  }

  Status Restore(const std::string& label, const RecipientKeys& keys) {
    const auto nothing = [](RocksStore& /*store*/) { return Status(); };
    RestoreOptions options{folder_.PathOf(label), target_, Tables(), {kMeta}};
    options.keys = keys;
    return RestoreBackup(options, nothing).status();
  }

  // What somebody restores is what was written, in these rows.
  void ExpectRestores(const std::string& label, const Somebody& somebody,
                      const std::vector<std::string>& keys) {
    const Status restored = Restore(label, {somebody.key()});
    ASSERT_TRUE(restored.ok()) << restored.message();
    {
      const auto store = RocksStore::Open({.path = target_, .tables = Tables()}).value();
      const auto view = store->View();
      for (const std::string& key : keys) EXPECT_TRUE(view->Get(kRows, key).value()) << key;
    }
    fs::remove_all(target_);
  }

  std::uint64_t SharedOf(const std::string& label) {
    const BackupManifest manifest = folder_.Read(label).value();
    return manifest.shared_bytes;
  }

  std::string folder_path() const { return temp_.path() + "/backups"; }
  // The first file of a backup that is so called.
  std::string FileLike(const std::string& label, const std::string& ending) {
    for (const auto& each : fs::directory_iterator(folder_.PathOf(label))) {
      if (each.path().string().ends_with(ending)) return each.path().string();
    }
    return {};
  }

  TempFolder temp_;
  const std::string data_ = temp_.path() + "/data";
  const std::string checkpoint_ = temp_.path() + "/checkpoint";
  const std::string target_ = temp_.path() + "/restored";
  const BackupFolder folder_{nullptr, temp_.path() + "/backups"};
  const Somebody me_{"me"};
  CopyPace pace_{0};
  std::unique_ptr<RocksStore> store_;
  int made_ = 0;
};

TEST_F(EncryptedBackupTest, NothingOfItIsInTheClearAndItsKeyBringsItBack) {
  Write("row", "a secret that nobody else may read");
  ASSERT_TRUE(Make("one", me_).ok());

  for (const auto& each : fs::directory_iterator(folder_.PathOf("one"))) {
    const std::string name = each.path().filename().string();
    EXPECT_TRUE(name == "MANIFEST" || name.ends_with(".enc") || name.ends_with(".cms")) << name;
    EXPECT_EQ(ContentOf(each.path()).find("a secret that"), std::string::npos) << name;
  }
  EXPECT_TRUE(Verify("one").ok());
  EXPECT_EQ(folder_.Read("one").value().encrypted_to_name, "CN=me");
  ExpectRestores("one", me_, {"row"});
}

TEST_F(EncryptedBackupTest, WhoHasNotTheKeyHearsOneSentence) {
  Write("row", "value");
  ASSERT_TRUE(Make("one", me_).ok());
  const Somebody other("other");

  EXPECT_THAT(Restore("one", {}).message(),
              HasSubstr("is encrypted to the key of CN=me: --decrypt-with must name"));
  EXPECT_THAT(Restore("one", {other.key()}).message(),
              HasSubstr("what --decrypt-with names is another one"));

  EXPECT_FALSE(fs::exists(target_));
  ASSERT_TRUE(Restore("one", {other.key(), me_.key()}).ok());
}

TEST_F(EncryptedBackupTest, WhatIsThereIsWrittenOnceForOneKeyAndAnewForAnother) {
  Write("row", std::string(100'000, 'x'));
  ASSERT_TRUE(Make("one", me_).ok());
  Write("later", "value");
  const Somebody other("other");

  ASSERT_TRUE(Make("two", me_).ok());
  ASSERT_TRUE(Make("three", other).ok());
  ASSERT_TRUE(Make("four", me_).ok());

  EXPECT_GT(SharedOf("two"), 0);
  EXPECT_EQ(SharedOf("three"), 0);
  EXPECT_GT(SharedOf("four"), 0);
  EXPECT_GE(fs::hard_link_count(FileLike("one", ".sst.enc")), 3);
  {
    const auto hold = folder_.BeginWork();
    ASSERT_TRUE(folder_.Remove("one").ok());
  }
  for (const char* label : {"two", "three", "four"}) EXPECT_TRUE(Verify(label).ok()) << label;
  ExpectRestores("four", me_, {"row", "later"});
  ExpectRestores("three", other, {"row", "later"});
}

TEST_F(EncryptedBackupTest, ANameThatIsGivenUpHarmsNobody) {
  Write("row", std::string(100'000, 'x'));
  ASSERT_TRUE(Make("one", me_).ok());

  ASSERT_TRUE(Make("two", me_, std::make_shared<NoLinksForHeads>()).ok());

  EXPECT_EQ(SharedOf("two"), 0);
  EXPECT_TRUE(Verify("one").ok());
  ExpectRestores("one", me_, {"row"});
  ExpectRestores("two", me_, {"row"});
}

TEST_F(EncryptedBackupTest, AnotherSecretSharesNothing) {
  Write("row", std::string(100'000, 'x'));
  ASSERT_TRUE(Make("one", me_).ok());
  fs::remove(data_ + "/BACKUP-SECRET");

  ASSERT_TRUE(Make("two", me_).ok());

  EXPECT_EQ(SharedOf("two"), 0);
  ExpectRestores("two", me_, {"row"});
}

TEST_F(EncryptedBackupTest, AMarkSaysNothingOfWhatIsInAFile) {
  fs::create_directory(checkpoint_);
  Write("row", "value");
  ASSERT_TRUE(Make("one", me_).ok());
  const std::string manifest = ContentOf(folder_.PathOf("one") + "/MANIFEST");

  for (const auto& each : fs::directory_iterator(checkpoint_)) {
    const std::string content = ContentOf(each.path());
    if (content.empty()) continue;
    EXPECT_EQ(manifest.find(Sha256Of(content)), std::string::npos) << each.path();
  }
}

TEST_F(EncryptedBackupTest, ADamagedFileIsFoundByWhoHasNoKeyAndLeavesNothing) {
  Write("row", std::string(100'000, 'x'));
  ASSERT_TRUE(Make("one", me_).ok());
  for (const char* ending : {".sst.enc", ".sst.cms", "CURRENT.enc"}) {
    const std::string path = FileLike("one", ending);
    const std::string whole = ContentOf(path);
    for (const std::string& bad :
         {whole.substr(0, whole.size() - 1), whole.substr(1) + whole.substr(0, 1), whole + "x"}) {
      std::ofstream(path, std::ios::binary) << bad;
      EXPECT_THAT(Verify("one").message(), HasSubstr(path + " is damaged"));
      EXPECT_THAT(Restore("one", {me_.key()}).message(), HasSubstr(path + " is damaged"));
      EXPECT_FALSE(fs::exists(target_));
    }
    std::ofstream(path, std::ios::binary) << whole;
  }
  ExpectRestores("one", me_, {"row"});
}

// Whoever may write there can make the checksums agree; the cipher notices.
TEST_F(EncryptedBackupTest, AFileThatWasChangedWithItsChecksumIsNotWhatWasEncrypted) {
  Write("row", std::string(100'000, 'x'));
  ASSERT_TRUE(Make("one", me_).ok());
  const std::string path = FileLike("one", ".sst.enc");
  std::string changed = ContentOf(path);
  changed[changed.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary) << changed;
  BackupManifest manifest = folder_.Read("one").value();
  for (BackupFile& file : manifest.files) {
    if (path.ends_with("/" + file.name)) file.sha256 = Sha256Of(changed);
  }
  std::ofstream(folder_.PathOf("one") + "/MANIFEST", std::ios::binary) << manifest.Encode();

  EXPECT_TRUE(Verify("one").ok());
  EXPECT_THAT(Restore("one", {me_.key()}).message(),
              HasSubstr(path + " is damaged: it is not what was encrypted"));
  EXPECT_FALSE(fs::exists(target_));
}

TEST_F(EncryptedBackupTest, AManifestThatLacksAHeadOrSaysTooMuchIsDamage) {
  Write("row", "value");
  ASSERT_TRUE(Make("one", me_).ok());
  const BackupManifest manifest = folder_.Read("one").value();
  EXPECT_EQ(BackupManifest::Decode(manifest.Encode(), "it").value(), manifest);

  for (std::size_t at = 0; at < manifest.files.size(); ++at) {
    BackupManifest lacking = manifest;
    lacking.files.erase(lacking.files.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_TRUE(BackupManifest::Decode(lacking.Encode(), "it").status().is_damage()) << at;
  }
  BackupManifest other = manifest;
  other.encrypted_to = "me";
  EXPECT_FALSE(BackupManifest::Decode(other.Encode(), "it").ok());
}

}  // namespace
}  // namespace wharf
