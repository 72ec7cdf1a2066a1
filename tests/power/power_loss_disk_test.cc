#include "tests/power/power_loss_disk.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using Times = PowerLossDisk::Times;

constexpr std::uint64_t kSeeds = 200;

class PowerLossDiskTest : public ::testing::Test {
 protected:
  PowerLossDiskTest() { Start(disk_); }

  static void Start(PowerLossDisk& disk) {
    ASSERT_TRUE(disk.MakeFolder("/data").ok());
    SyncFolder(disk, "/");
  }

  static void SyncFolder(PowerLossDisk& disk, const std::string& path) {
    DiskHandle folder;
    ASSERT_TRUE(disk.Open(path, folder).ok());
    ASSERT_TRUE(disk.SyncFolder(folder, path).ok());
  }

  static DiskHandle Create(PowerLossDisk& disk, const std::string& path) {
    DiskHandle file;
    EXPECT_TRUE(disk.Create(path, file).ok());
    return file;
  }

  static std::optional<std::string> Read(PowerLossDisk& disk, const std::string& path) {
    DiskHandle file;
    if (!disk.Open(path, file).ok()) return std::nullopt;
    std::string bytes(100'000, '\0');
    std::size_t size = 0;
    EXPECT_TRUE(disk.Read(file, 0, bytes.size(), bytes.data(), size).ok());
    return bytes.substr(0, size);
  }

  static void CutPowerAndReboot(PowerLossDisk& disk, std::uint64_t seed) {
    disk.CutPower(seed);
    disk.Reboot();
  }

  PowerLossDisk disk_;
};

TEST_F(PowerLossDiskTest, ARenamedFolderTakesAlongWhatIsInIt) {
  ASSERT_TRUE(disk_.MakeFolder("/data/new").ok());
  const DiskHandle synced = Create(disk_, "/data/new/synced");
  ASSERT_TRUE(disk_.Append(synced, "synced").ok());
  ASSERT_TRUE(disk_.Sync(synced).ok());
  SyncFolder(disk_, "/data/new");
  Create(disk_, "/data/new/unsynced");

  ASSERT_TRUE(disk_.Rename("/data/new", "/data/final").ok());
  SyncFolder(disk_, "/data");
  EXPECT_TRUE(Read(disk_, "/data/final/unsynced").has_value());
  EXPECT_FALSE(Read(disk_, "/data/new/synced").has_value());

  // What was not synced may be there or not.
  CutPowerAndReboot(disk_, 1);
  EXPECT_EQ(Read(disk_, "/data/final/synced"), "synced");
  EXPECT_FALSE(Read(disk_, "/data/new/synced").has_value());
}

TEST_F(PowerLossDiskTest, ReadsWhatWasWritten) {
  const DiskHandle file = Create(disk_, "/data/file");
  ASSERT_TRUE(disk_.Append(file, "hello").ok());
  ASSERT_TRUE(disk_.Append(file, " world").ok());
  ASSERT_TRUE(disk_.Write(file, 0, "J").ok());
  ASSERT_TRUE(disk_.Truncate(file, 5).ok());

  EXPECT_EQ(Read(disk_, "/data/file"), "Jello");
  EXPECT_EQ(disk_.used_bytes(), 5u);
}

TEST_F(PowerLossDiskTest, SyncedBytesAndFoldersAlwaysSurvive) {
  const DiskHandle file = Create(disk_, "/data/file");
  ASSERT_TRUE(disk_.Append(file, "synced").ok());
  ASSERT_TRUE(disk_.Sync(file).ok());
  SyncFolder(disk_, "/data");

  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CutPowerAndReboot(disk_, seed);
    EXPECT_EQ(Read(disk_, "/data/file"), "synced");
  }
}

TEST_F(PowerLossDiskTest, UnsyncedBytesSurviveNotAtAllOrInPartOrWhole) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    PowerLossDisk disk;
    Start(disk);
    const DiskHandle file = Create(disk, "/data/file");
    SyncFolder(disk, "/data");
    ASSERT_TRUE(disk.Append(file, "1").ok());
    ASSERT_TRUE(disk.Sync(file).ok());
    ASSERT_TRUE(disk.Append(file, "23").ok());

    CutPowerAndReboot(disk, seed);

    seen.insert(Read(disk, "/data/file").value());
  }

  const std::string zeros("1\0\0", 3);  // The length survived, the bytes did not.
  EXPECT_THAT(seen, ElementsAre("1", zeros, "12", "123"));
}

TEST_F(PowerLossDiskTest, LaterPageMaySurviveAnEarlierOne) {
  const std::string page(4096, 'x');
  bool reordered = false;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    PowerLossDisk disk;
    Start(disk);
    const DiskHandle file = Create(disk, "/data/file");
    SyncFolder(disk, "/data");
    ASSERT_TRUE(disk.Append(file, page + page).ok());

    CutPowerAndReboot(disk, seed);

    reordered |= Read(disk, "/data/file") == std::string(4096, '\0') + page;
  }
  EXPECT_TRUE(reordered);
}

// reliability 11
TEST_F(PowerLossDiskTest, UnsyncedChangesOfFoldersSurviveInTheirOrder) {
  std::set<std::vector<std::string>> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    PowerLossDisk disk;
    Start(disk);
    Create(disk, "/data/a");
    SyncFolder(disk, "/data");
    Create(disk, "/data/b");
    ASSERT_TRUE(disk.Rename("/data/b", "/data/c").ok());
    ASSERT_TRUE(disk.Remove("/data/a").ok());

    CutPowerAndReboot(disk, seed);

    std::vector<std::string> names;
    ASSERT_TRUE(disk.List("/data", names).ok());
    seen.insert(names);
  }

  using Names = std::vector<std::string>;
  EXPECT_THAT(seen, ElementsAre(Names{"a"}, Names{"a", "b"}, Names{"a", "c"}, Names{"c"}));
}

TEST_F(PowerLossDiskTest, UnsyncedFolderTakesItsFilesAlong) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    PowerLossDisk disk;
    Start(disk);
    ASSERT_TRUE(disk.MakeFolder("/data/inner").ok());
    const DiskHandle file = Create(disk, "/data/inner/file");
    ASSERT_TRUE(disk.Append(file, "synced").ok());
    ASSERT_TRUE(disk.Sync(file).ok());
    SyncFolder(disk, "/data/inner");

    CutPowerAndReboot(disk, seed);

    DiskHandle folder;
    const bool is_lost = !disk.Open("/data/inner", folder).ok();
    EXPECT_EQ(Read(disk, "/data/inner/file").has_value(), !is_lost);
    lost += is_lost;
  }
  EXPECT_GT(lost, 0);
}

TEST_F(PowerLossDiskTest, NothingWorksWithoutPowerAndOldHandlesNeverAgain) {
  const DiskHandle file = Create(disk_, "/data/file");
  SyncFolder(disk_, "/data");
  ASSERT_TRUE(disk_.Lock("/data/LOCK").ok());
  DiskHandle other;

  disk_.CutPower(1);
  EXPECT_FALSE(disk_.Append(file, "x").ok());
  EXPECT_FALSE(disk_.Open("/data/file", other).ok());

  disk_.Reboot();
  EXPECT_FALSE(disk_.Append(file, "x").ok());
  EXPECT_TRUE(disk_.Open("/data/file", other).ok());
  EXPECT_TRUE(disk_.Lock("/data/LOCK").ok());
}

TEST_F(PowerLossDiskTest, PowerGoesInTheMiddleOfTheNthChange) {
  const DiskHandle file = Create(disk_, "/data/file");
  disk_.CutPowerAfter(3, 7);

  EXPECT_TRUE(disk_.Append(file, "1").ok());
  EXPECT_TRUE(disk_.Append(file, "2").ok());
  EXPECT_FALSE(disk_.Append(file, "3").ok());
  EXPECT_FALSE(disk_.has_power());
}

// reliability 19: what a failed sync had to write is lost, whatever a later sync says.
TEST_F(PowerLossDiskTest, FailedSyncLosesItsPagesForGood) {
  const DiskHandle file = Create(disk_, "/data/file");
  SyncFolder(disk_, "/data");
  ASSERT_TRUE(disk_.Append(file, "lost").ok());
  disk_.FailSyncs(0, Times::kOnce);

  EXPECT_FALSE(disk_.Sync(file).ok());
  EXPECT_EQ(Read(disk_, "/data/file"), "lost");  // Still in the page cache.
  ASSERT_TRUE(disk_.Append(file, "kept").ok());
  EXPECT_TRUE(disk_.Sync(file).ok());
  CutPowerAndReboot(disk_, 1);

  EXPECT_EQ(Read(disk_, "/data/file"), std::string(4, '\0') + "kept");
}

TEST_F(PowerLossDiskTest, WritesFailOnceOrFromThenOn) {
  const DiskHandle file = Create(disk_, "/data/file");
  const auto error = rocksdb::IOStatus::IOError("injected");

  disk_.FailWrites(1, error, Times::kOnce);
  EXPECT_TRUE(disk_.Append(file, "1").ok());
  EXPECT_FALSE(disk_.Append(file, "2").ok());
  EXPECT_TRUE(disk_.Append(file, "3").ok());

  disk_.FailWrites(0, error, Times::kFromThenOn);
  EXPECT_FALSE(disk_.Append(file, "4").ok());
  EXPECT_FALSE(disk_.Append(file, "5").ok());
  disk_.ClearFaults();
  EXPECT_TRUE(disk_.Append(file, "6").ok());
  EXPECT_EQ(Read(disk_, "/data/file"), "136");
}

TEST_F(PowerLossDiskTest, FullDiskTakesNoMore) {
  const DiskHandle file = Create(disk_, "/data/file");
  disk_.SetCapacity(10);

  EXPECT_TRUE(disk_.Append(file, "12345678").ok());
  EXPECT_TRUE(disk_.Append(file, "too much").IsNoSpace());
  EXPECT_TRUE(disk_.Write(file, 0, "again").ok());
  ASSERT_TRUE(disk_.Remove("/data/file").ok());

  EXPECT_EQ(disk_.free_bytes(), 10u);
}

TEST_F(PowerLossDiskTest, LockIsHeldOnce) {
  EXPECT_TRUE(disk_.Lock("/data/LOCK").ok());
  EXPECT_FALSE(disk_.Lock("/data/LOCK").ok());
  EXPECT_TRUE(disk_.Unlock("/data/LOCK").ok());
  EXPECT_TRUE(disk_.Lock("/data/LOCK").ok());
}

}  // namespace
}  // namespace wharf
