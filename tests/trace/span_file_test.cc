#include "broker/trace/span_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/temp_folder.h"

namespace wharf::trace {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SpanFileTest, EachIsALineBehindTheOthersAndAFileThatWasMovedIsMadeAnew) {
  const TempFolder folder;
  const std::string path = folder.path() + "/spans";
  const SpanFile file(path);

  ASSERT_TRUE(file.Check().ok());
  EXPECT_EQ(TextOf(path), "");
  ASSERT_TRUE(file.Append("{1}").ok());
  ASSERT_TRUE(file.Append("{2}").ok());
  EXPECT_EQ(TextOf(path), "{1}\n{2}\n");

  std::filesystem::rename(path, path + ".1");
  ASSERT_TRUE(file.Append("{3}").ok());
  EXPECT_EQ(TextOf(path), "{3}\n");
}

TEST(SpanFileTest, WhereNoneCanBeIsSaid) {
  EXPECT_THAT(SpanFile("/dev/full").Append("{1}").message(), HasSubstr("/dev/full: No space left"));
  EXPECT_THAT(SpanFile("/nowhere/spans").Check().message(),
              HasSubstr("/nowhere/spans: No such file"));
  EXPECT_THAT(SpanFile("/nowhere/spans").Append("{1}").message(),
              HasSubstr("/nowhere/spans: No such file"));
}

}  // namespace
}  // namespace wharf::trace
