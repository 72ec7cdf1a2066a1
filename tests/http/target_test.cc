#include "broker/doors/http/servicebus/target.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

std::string PathOf(std::string_view path) {
  const Result<Target> target = ParseTarget(path, "");
  return target.ok() ? target->path : "refused: " + target.status().message();
}

bool IsRefused(std::string_view path, std::string_view query = "") {
  const Result<Target> target = ParseTarget(path, query);
  return !target.ok() && target.status().code() == ErrorCode::kArgumentError;
}

TEST(TargetTest, APathHasNoEscapesAndNoOuterSlashes) {
  EXPECT_EQ(PathOf("/q1/Messages"), "q1/Messages");
  EXPECT_EQ(PathOf("//a/b/"), "a/b");
  EXPECT_EQ(PathOf("/"), "");
  EXPECT_EQ(PathOf("/q/%24DeadLetterQueue/messages"), "q/$DeadLetterQueue/messages");
  EXPECT_EQ(PathOf("/a+b"), "a+b");
}

// Nothing here is a file: what goes up is a name that nothing has, and an escaped slash is one.
TEST(TargetTest, NothingClimbsAndNothingHides) {
  EXPECT_EQ(PathOf("/a%2Fb/messages"), "a/b/messages");
  EXPECT_EQ(PathOf("/a/../b"), "a/../b");
  EXPECT_EQ(PathOf("/%2e%2e/b"), "../b");
  EXPECT_EQ(PathOf("/a%252Fb"), "a%2Fb");
}

TEST(TargetTest, WhatIsNoPathIsRefused) {
  EXPECT_TRUE(IsRefused("/a%00b"));
  EXPECT_TRUE(IsRefused("/a%0d%0aX:%20y"));
  EXPECT_TRUE(IsRefused("/a%7F"));
  EXPECT_TRUE(IsRefused("/a%"));
  EXPECT_TRUE(IsRefused("/a%4"));
  EXPECT_TRUE(IsRefused("/a%zz"));
  EXPECT_TRUE(IsRefused("/" + std::string(kTargetBytesMax, 'a')));
  EXPECT_TRUE(IsRefused("/a", "x=%00"));
  EXPECT_TRUE(IsRefused("/a", "%"));
  EXPECT_TRUE(IsRefused("/a", std::string(kTargetBytesMax + 1, 'a')));
  std::string many;
  for (int i = 0; i < 100; ++i) many += "a&";
  EXPECT_TRUE(IsRefused("/a", many));
}

TEST(TargetTest, AQueryIsFoundByNameInAnyCase) {
  const Result<Target> target = ParseTarget("/q", "api-version=2021-05&%24skip=100&Timeout=3&x&&");

  ASSERT_TRUE(target.ok());
  EXPECT_EQ(*target->Find("API-Version"), "2021-05");
  EXPECT_EQ(*target->Find("$skip"), "100");
  EXPECT_EQ(*target->Find("timeout"), "3");
  EXPECT_EQ(*target->Find("x"), "");
  EXPECT_EQ(target->Find("y"), nullptr);
  EXPECT_EQ(*ParseTarget("/q", "a=1+2%2B3")->Find("a"), "1 2+3");
}

TEST(TargetTest, WhatIsEscapedIsReadBack) {
  const std::string path = "Ä b/$c?d#e%f";
  EXPECT_EQ(EscapedPath(path), "%C3%84%20b/$c%3Fd%23e%25f");
  EXPECT_EQ(PathOf("/" + EscapedPath(path)), path);
  EXPECT_EQ(EscapedSegment("a/b$"), "a%2Fb%24");
}

}  // namespace
}  // namespace wharf
