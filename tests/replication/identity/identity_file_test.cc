#include "replication/identity/identity_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using testing::HasSubstr;

class IdentityFileTest : public ::testing::Test {
 protected:
  IdentityFileTest() {
    SeededRandom random(1);
    identity_ = {.cluster = DrawClusterId(random), .node = DrawNodeId(random), .name = "n1"};
    other_ = {.cluster = DrawClusterId(random), .node = DrawNodeId(random), .name = "n2"};
  }

  std::string Path() const { return folder_.path() + "/NODE"; }
  std::string File() const {
    std::ifstream file(Path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void SetFile(const std::string& content) const {
    std::ofstream(Path(), std::ios::binary | std::ios::trunc) << content;
  }
  std::string ReasonNow() const { return ReadIdentity(folder_.path()).status().message(); }

  TempFolder folder_;
  NodeIdentity identity_;
  NodeIdentity other_;
};

TEST_F(IdentityFileTest, AFolderWithoutOneBelongsToNobody) {
  const auto identity = ReadIdentity(folder_.path());

  ASSERT_TRUE(identity.ok());
  EXPECT_FALSE(identity.value());
}

TEST_F(IdentityFileTest, WhatIsWrittenIsReadAndPrivate) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());

  const auto identity = ReadIdentity(folder_.path());
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity.value(), identity_);
  struct stat about {};
  ASSERT_EQ(::stat(Path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

// The grammar of the file is a promise to later versions.
TEST_F(IdentityFileTest, TheFileIsTextThatAPersonCanRead) {
  const NodeIdentity identity{.cluster = *ClusterId::FromText("0123456789abcdef0123456789abcdef"),
                              .node = NodeId(17),
                              .name = "n1"};
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity).ok());

  EXPECT_EQ(File(),
            "wharf-node 1\ncluster 0123456789abcdef0123456789abcdef\nnode 17\nname n1\n"
            "crc 2d71a06f\n");
}

TEST_F(IdentityFileTest, CutAnywhereItIsRefused) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());
  const std::string whole = File();

  for (std::size_t size = 0; size < whole.size(); ++size) {
    SetFile(whole.substr(0, size));
    EXPECT_THAT(ReasonNow(), HasSubstr("it is damaged")) << size;
  }
}

TEST_F(IdentityFileTest, WithABitFlippedAnywhereItIsRefused) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());
  const std::string whole = File();

  for (std::size_t place = 0; place < 8 * whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place / 8] = static_cast<char>(damaged[place / 8] ^ (1 << place % 8));
    SetFile(damaged);
    EXPECT_FALSE(ReadIdentity(folder_.path()).ok()) << place;
  }
}

TEST_F(IdentityFileTest, WithSomethingBehindItIsRefused) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());
  const std::string whole = File();

  SetFile(whole + "\n");
  EXPECT_THAT(ReasonNow(), HasSubstr("it is damaged"));
  SetFile(whole + std::string(4096, 'x'));
  EXPECT_THAT(ReasonNow(), HasSubstr("larger than"));
}

TEST_F(IdentityFileTest, OfANewerVersionIsCalledSo) {
  SetFile("wharf-node 2\nwhatever that may be\n");

  EXPECT_THAT(ReasonNow(), HasSubstr("written by a newer version"));
}

TEST_F(IdentityFileTest, TheFolderOfAnotherNodeIsRefusedByItsName) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());

  EXPECT_TRUE(ReadIdentityOf(folder_.path(), "n1").ok());
  const std::string reason = ReadIdentityOf(folder_.path(), "n2").status().message();
  EXPECT_THAT(reason, HasSubstr(identity_.ToText() + ", not to n2; start it with --node n1"));
}

TEST_F(IdentityFileTest, AFolderNeverChangesItsIdentity) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());

  const Status refused = WriteIdentity(folder_.path(), other_);

  EXPECT_EQ(refused.code(), ErrorCode::kInvalidOperation);
  EXPECT_THAT(refused.message(), HasSubstr(identity_.ToText()));
  EXPECT_EQ(ReadIdentity(folder_.path()).value(), identity_);
}

TEST_F(IdentityFileTest, OneOfTheThreePartsIsEnoughToBeAnother) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());
  NodeIdentity cluster = identity_, node = identity_, name = identity_;
  cluster.cluster = other_.cluster;
  node.node = other_.node;
  name.name = other_.name;

  for (const NodeIdentity& other : {cluster, node, name}) {
    EXPECT_FALSE(WriteIdentity(folder_.path(), other).ok()) << other.ToText();
  }
}

// Who was killed between the file and its answer tries again.
TEST_F(IdentityFileTest, TheSameIdentityMayBeWrittenAgain) {
  ASSERT_TRUE(WriteIdentity(folder_.path(), identity_).ok());

  EXPECT_TRUE(WriteIdentity(folder_.path(), identity_).ok());
}

TEST_F(IdentityFileTest, OverADamagedOneNothingIsWritten) {
  SetFile("wharf-node 1\n");

  EXPECT_FALSE(WriteIdentity(folder_.path(), identity_).ok());

  EXPECT_EQ(File(), "wharf-node 1\n");
}

TEST_F(IdentityFileTest, WhatIsNoIdentityIsNotWritten) {
  NodeIdentity nameless = identity_, nobody = identity_, homeless = identity_;
  nameless.name = "N 1";
  nobody.node = NodeId();
  homeless.cluster = ClusterId();

  for (const NodeIdentity& bad : {nameless, nobody, homeless}) {
    EXPECT_EQ(WriteIdentity(folder_.path(), bad).code(), ErrorCode::kArgumentError);
  }
  EXPECT_FALSE(std::filesystem::exists(Path()));
}

}  // namespace
}  // namespace wharf
