#include "storage/disk/disk_reserve.h"

#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

class DiskReserveTest : public ::testing::Test {
 protected:
  // What the file takes of the disk, which a file with a hole would not.
  std::uint64_t AllocatedBytes() const {
    struct stat file = {};
    if (::stat((folder_.path() + "/RESERVE").c_str(), &file) != 0) return 0;
    return static_cast<std::uint64_t>(file.st_blocks) * 512;
  }

  TempFolder folder_;
  DiskReserve reserve_{folder_.path()};
};

TEST_F(DiskReserveTest, KeepsRoomOnTheDisk) {
  ASSERT_TRUE(reserve_.Fill().ok());

  EXPECT_EQ(reserve_.bytes(), DiskReserve::kBytes);
  EXPECT_GE(AllocatedBytes(), DiskReserve::kBytes);
}

TEST_F(DiskReserveTest, KeepsNoFileOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = open_files();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(reserve_.Fill().ok());
    reserve_.GiveUpTo(0);
  }

  EXPECT_EQ(open_files(), before);
}

TEST_F(DiskReserveTest, GivesUpAPartAndThenTheRest) {
  ASSERT_TRUE(reserve_.Fill().ok());

  EXPECT_EQ(reserve_.GiveUpTo(DiskReserve::kBytesToStart), DiskReserve::kBytes / 2);
  EXPECT_EQ(AllocatedBytes(), DiskReserve::kBytesToStart);
  EXPECT_EQ(reserve_.GiveUpTo(DiskReserve::kBytesToStart), 0U);

  EXPECT_EQ(reserve_.GiveUpTo(0), DiskReserve::kBytesToStart);
  EXPECT_EQ(AllocatedBytes(), 0U);
  EXPECT_EQ(reserve_.GiveUpTo(0), 0U);
}

// A kill between giving up and filling leaves one of these.
TEST_F(DiskReserveTest, IsMadeWholeFromWhateverIsLeft) {
  for (const std::uint64_t left : {std::uint64_t{0}, DiskReserve::kBytesToStart}) {
    ASSERT_TRUE(reserve_.Fill().ok());
    reserve_.GiveUpTo(left);

    ASSERT_TRUE(DiskReserve(folder_.path()).Fill().ok());
    EXPECT_GE(AllocatedBytes(), DiskReserve::kBytes);
  }
}

TEST_F(DiskReserveTest, SaysWhyItCannotBeKept) {
  DiskReserve nowhere(folder_.path() + "/missing");

  EXPECT_EQ(nowhere.Fill().code(), ErrorCode::kGeneralError);
  EXPECT_EQ(nowhere.bytes(), 0U);
}

}  // namespace
}  // namespace wharf
