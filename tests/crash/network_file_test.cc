#include "tools/crash/proxy/network_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

TEST(NetworkFileTest, NodesAndWhatIsCutBetweenThem) {
  const auto file = NetworkFile::Parse(
      "node n1 5791 127.0.0.1:5691 build/cluster/n1.pid\n"
      "\n"
      "cut n1 n2\n"
      "stall n2 n1\n");

  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->nodes.size(), 1U);
  EXPECT_EQ(file->nodes[0].name, "n1");
  EXPECT_EQ(file->nodes[0].port, 5791);
  EXPECT_EQ(file->nodes[0].target, "127.0.0.1:5691");
  EXPECT_EQ(file->nodes[0].pid_file, "build/cluster/n1.pid");
  ASSERT_EQ(file->ways.size(), 2U);
  EXPECT_EQ(file->ways[0].from, "n1");
  EXPECT_EQ(file->ways[0].to, "n2");
  EXPECT_EQ(file->ways[0].passage, Passage::kCut);
  EXPECT_EQ(file->ways[1].passage, Passage::kStalled);
}

TEST(NetworkFileTest, WhatIsWrongIsToldWithItsLine) {
  for (const char* line : {"nodes n1", "node n1 5791 127.0.0.1:5691", "node n1 0 t p",
                           "node n1 70000 t p", "node n1 57x t p", "cut n1", "cut n1 n2 n3"}) {
    const auto file = NetworkFile::Parse(std::string("cut a b\n") + line);

    ASSERT_FALSE(file.ok()) << line;
    EXPECT_THAT(file.status().message(), testing::StartsWith("line 2 is neither")) << line;
  }
}

}  // namespace
}  // namespace wharf::crash
