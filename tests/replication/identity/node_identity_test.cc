#include "replication/identity/node_identity.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

// Chance that begins with zeros.
class ZerosFirst final : public Random {
 public:
  explicit ZerosFirst(int zeros) : zeros_(zeros) {}
  std::uint64_t Next() override { return zeros_-- > 0 ? 0 : 7; }

 private:
  int zeros_;
};

TEST(NodeIdentityTest, AClusterIdComesBackFromItsBytesAndFromItsText) {
  SeededRandom random(1);
  const ClusterId id = DrawClusterId(random);

  EXPECT_EQ(ClusterId::FromBytes(id.ToBytes()), id);
  EXPECT_EQ(ClusterId::FromText(id.ToText()), id);
  EXPECT_EQ(id.ToText().size(), 32u);
}

TEST(NodeIdentityTest, WhatIsNoClusterIdIsNotTakenForOne) {
  const std::string text = "0123456789abcdef0123456789abcdef";
  ASSERT_TRUE(ClusterId::FromText(text));

  EXPECT_FALSE(ClusterId::FromText(text.substr(1)));
  EXPECT_FALSE(ClusterId::FromText(text + "0"));
  EXPECT_FALSE(ClusterId::FromText("0123456789ABCDEF0123456789abcdef"));
  EXPECT_FALSE(ClusterId::FromText("0123456789abcdef0123456789abcdeg"));
  EXPECT_FALSE(ClusterId::FromText(std::string(32, '0')));
  EXPECT_FALSE(ClusterId::FromBytes(""));
  EXPECT_FALSE(ClusterId::FromBytes(std::string(15, 'x')));
  EXPECT_FALSE(ClusterId::FromBytes(std::string(16, '\0')));
}

TEST(NodeIdentityTest, NoIdThatIsDrawnIsZero) {
  ZerosFirst for_node(3);
  ZerosFirst for_cluster(4);

  EXPECT_EQ(DrawNodeId(for_node), NodeId(7));
  EXPECT_FALSE(DrawClusterId(for_cluster).is_zero());
}

TEST(NodeIdentityTest, EqualChanceDrawsEqualIdsAndOtherChanceOthers) {
  SeededRandom one(1), same(1), other(2);

  const ClusterId id = DrawClusterId(one);

  EXPECT_EQ(DrawClusterId(same), id);
  EXPECT_NE(DrawClusterId(other), id);
}

TEST(NodeIdentityTest, NamesFitIntoCertificatesAndFiles) {
  for (const char* name : {"n1", "1", "broker-3.eu", "a"}) {
    EXPECT_TRUE(CheckNodeName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckNodeName(std::string(63, 'a')).ok());
  for (const char* name : {"", "N1", "-n", ".n", "n/1", "n 1", "n_1", "../n", "n\n"}) {
    EXPECT_FALSE(CheckNodeName(name).ok()) << name;
  }
  EXPECT_FALSE(CheckNodeName(std::string(64, 'a')).ok());
}

TEST(NodeIdentityTest, TheSentenceAboutANameIsShortAndPrintable) {
  const std::string message = CheckNodeName(std::string(1 << 20, '\x01')).message();

  EXPECT_LT(message.size(), 500u);
  EXPECT_EQ(message.find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace wharf
