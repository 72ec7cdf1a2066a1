// A data folder is one process's at a time.

#include "broker/daemon/folder/folder_claim.h"

#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

TEST(FolderClaimTest, NobodyElseHasItMeanwhile) {
  const TempFolder folder;
  std::optional<FolderClaim> first;
  {
    Result<FolderClaim> claim = FolderClaim::Of(folder.path());
    ASSERT_TRUE(claim.ok()) << claim.status().message();
    first.emplace(*std::move(claim));
  }

  EXPECT_THAT(FolderClaim::Of(folder.path()).status().message(),
              HasSubstr(folder.path() + " is in use by another wharfd"));

  first.reset();
  EXPECT_TRUE(FolderClaim::Of(folder.path()).ok());
}

TEST(FolderClaimTest, OneThatIsNotThereYetIsAnybodys) {
  const TempFolder folder;
  const std::string fresh = folder.path() + "/fresh";
  const Result<FolderClaim> first = FolderClaim::Of(fresh);

  EXPECT_TRUE(first.ok());
  EXPECT_TRUE(FolderClaim::Of(fresh).ok());
}

}  // namespace
}  // namespace wharf
