#include "replication/identity/durable_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

class DurableFileTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/file"; }
  std::string Content() const {
    const Result<std::optional<std::string>> content = ReadSmallFile(Path(), 1024);
    return content.ok() ? content.value().value_or("(none)") : content.status().message();
  }
  mode_t Mode() const {
    struct stat about {};
    return ::stat(Path().c_str(), &about) == 0 ? about.st_mode & 0777 : 0;
  }
  std::size_t FilesInFolder() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TempFolder folder_;
};

TEST_F(DurableFileTest, WhatIsWrittenIsReadAndNothingElseIsLeft) {
  ASSERT_TRUE(WriteDurably(Path(), "first", 0600).ok());
  ASSERT_TRUE(WriteDurably(Path(), "second", 0600).ok());

  EXPECT_EQ(Content(), "second");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(DurableFileTest, AFileIsPrivateAlsoWhereALeftoverWasNot) {
  std::ofstream(Path() + ".new") << "left by an attempt that was cut off";
  ASSERT_EQ(::chmod((Path() + ".new").c_str(), 0644), 0);

  ASSERT_TRUE(WriteDurably(Path(), "secret", 0600).ok());

  EXPECT_EQ(Mode(), 0600u);
  EXPECT_EQ(Content(), "secret");
}

TEST_F(DurableFileTest, WhereItCannotBeMadeWhatWasThereStays) {
  ASSERT_TRUE(WriteDurably(Path(), "first", 0600).ok());
  std::filesystem::create_directory(Path() + ".new");
  std::ofstream(Path() + ".new/in-the-way") << "x";

  EXPECT_FALSE(WriteDurably(Path(), "second", 0600).ok());

  EXPECT_EQ(Content(), "first");
}

TEST_F(DurableFileTest, AFailureNamesThePath) {
  const Status failed = WriteDurably("/nowhere/at/all", "x", 0600);

  EXPECT_NE(failed.message().find("/nowhere/at/all"), std::string::npos) << failed.message();
}

TEST_F(DurableFileTest, WhatIsTooLargeOrNoFileIsRefused) {
  EXPECT_EQ(Content(), "(none)");
  ASSERT_TRUE(WriteDurably(Path(), std::string(1025, 'x'), 0600).ok());
  EXPECT_FALSE(ReadSmallFile(Path(), 1024).ok());
  EXPECT_TRUE(ReadSmallFile(Path(), 1025).ok());
  EXPECT_FALSE(ReadSmallFile(folder_.path(), 1024).ok());
}

}  // namespace
}  // namespace wharf
