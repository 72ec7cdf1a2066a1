#include "broker/daemon/folder/ephemeral_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class EphemeralFolderTest : public ::testing::Test {
 protected:
  EphemeralFolderTest() : place_(::testing::TempDir() + "wharf-ephemeral-XXXXXX") {
    EXPECT_NE(mkdtemp(place_.data()), nullptr);
  }
  ~EphemeralFolderTest() override { fs::remove_all(place_); }

  std::unique_ptr<EphemeralFolder> Make() {
    auto made = EphemeralFolder::Make(place_);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *std::move(made);
  }
  fs::path parent() const {
    return fs::path(place_) / fmt::format("wharfd-ephemeral-{}", geteuid());
  }

  std::string place_;
};

TEST_F(EphemeralFolderTest, ItIsForThisUserAloneAndGoesWithAllThatIsInIt) {
  std::string path;
  {
    const auto folder = Make();
    path = folder->path();
    std::ofstream(path + "/file") << "x";
    struct stat facts {};
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  }

  EXPECT_FALSE(fs::exists(path));
}

TEST_F(EphemeralFolderTest, EachHasOneOfItsOwnAndLeavesTheOthersAlone) {
  const auto one = Make();
  std::ofstream(one->path() + "/file") << "x";
  const auto other = Make();

  EXPECT_NE(one->path(), other->path());
  EXPECT_TRUE(fs::exists(one->path() + "/file"));
}

// As after a kill -9: the folder is there, and nobody holds it.
TEST_F(EphemeralFolderTest, WhatNobodyHoldsIsRemoved) {
  const auto one = Make();
  const fs::path abandoned = parent() / "abandoned";
  fs::create_directory(abandoned);
  std::ofstream(abandoned / "file") << "x";

  const auto other = Make();

  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(one->path()));
}

// Somebody else may have made it, in a folder where everybody may.
TEST_F(EphemeralFolderTest, AFolderThatOthersMayLookIntoIsRefused) {
  fs::create_directory(parent());
  ASSERT_EQ(chmod(parent().c_str(), 0755), 0);
  EXPECT_THAT(EphemeralFolder::Make(place_).status().message(),
              HasSubstr("it is there, and not for this user alone"));

  fs::remove(parent());
  fs::create_directory_symlink(place_, parent());
  EXPECT_THAT(EphemeralFolder::Make(place_).status().message(),
              HasSubstr("it is there, and not for this user alone"));
}

// Links lead out of it, and what they lead to stays.
TEST_F(EphemeralFolderTest, OnlyWhatStandsInItIsRemoved) {
  const fs::path outside = fs::path(place_) / "outside";
  fs::create_directory(outside);
  Make();
  fs::create_directory_symlink(outside, parent() / "link");

  Make();

  EXPECT_TRUE(fs::exists(outside));
}

TEST_F(EphemeralFolderTest, APlaceThatIsNotThereIsToldOf) {
  EXPECT_THAT(EphemeralFolder::Make(place_ + "/nowhere").status().message(),
              HasSubstr("cannot make the ephemeral folder"));
}

}  // namespace
}  // namespace wharf
