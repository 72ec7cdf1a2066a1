#include "replication/identity/authority_folder.h"

#include <filesystem>
#include <fstream>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replication/identity/durable_file.h"
#include "storage/base/wall_clock.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using testing::HasSubstr;

class AuthorityFolderTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/config/wharf/peers"; }
  std::string Read(const std::string& name) const {
    return ReadSmallFile(Path() + "/" + name, 1 << 16).value().value_or("");
  }
  Result<PeerAuthority> AuthorityOnce() {
    const Result<AuthorityFolder> claim = AuthorityFolder::Claim(Path(), kClaimPatience);
    return claim.ok() ? claim->Authority(clock_) : claim.status();
  }

  TempFolder folder_;
  WallClock clock_;
};

bool IsSignedBy(const std::string& authority, const std::string& certificate) {
  const Certificate root = ParseCertificate(authority);
  const Certificate leaf = ParseCertificate(certificate);
  return root != nullptr && leaf != nullptr &&
         X509_verify(leaf.get(), X509_get0_pubkey(root.get())) == 1;
}

TEST_F(AuthorityFolderTest, EachUserHasOneWhereTheyHaveTheirConfiguration) {
  EXPECT_EQ(AuthorityFolder::Below("/x", "/home/a").value(), "/x/wharf/peers");
  EXPECT_EQ(AuthorityFolder::Below(nullptr, "/home/a").value(), "/home/a/.config/wharf/peers");
  EXPECT_EQ(AuthorityFolder::Below("", "/home/a").value(), "/home/a/.config/wharf/peers");
  EXPECT_EQ(AuthorityFolder::Below("x", "/home/a").value(), "/home/a/.config/wharf/peers");
  for (const char* const home : {static_cast<const char*>(nullptr), "", "home"}) {
    EXPECT_THAT(AuthorityFolder::Below(nullptr, home).status().message(),
                HasSubstr("neither XDG_CONFIG_HOME nor HOME"));
  }
}

TEST_F(AuthorityFolderTest, ItIsMadeWithWhatItStandsInForNobodyElse) {
  ASSERT_TRUE(AuthorityFolder::Claim(Path(), kClaimPatience).ok());

  for (const std::string path : {"/config", "/config/wharf", "/config/wharf/peers"}) {
    struct stat facts {};
    ASSERT_EQ(stat((folder_.path() + path).c_str(), &facts), 0) << path;
    EXPECT_EQ(facts.st_mode & 0777U, 0700U) << path;
  }
  std::ofstream(folder_.path() + "/file") << "no folder";
  EXPECT_THAT(
      AuthorityFolder::Claim(folder_.path() + "/file/peers", Duration(0)).status().message(),
      HasSubstr("cannot make " + folder_.path() + "/file"));
}

TEST_F(AuthorityFolderTest, OneProcessAtATimeHasIt) {
  std::optional<AuthorityFolder> first;
  first.emplace(AuthorityFolder::Claim(Path(), Duration(0)).value());

  EXPECT_THAT(AuthorityFolder::Claim(Path(), Duration(0)).status().message(),
              HasSubstr("another process makes certificates in " + Path()));

  first.reset();
  EXPECT_TRUE(AuthorityFolder::Claim(Path(), Duration(0)).ok());
}

TEST_F(AuthorityFolderTest, ManyAtOnceMakeOneAuthority) {
  constexpr int kNodes = 9;
  std::latch all_are_there(kNodes);
  std::vector<std::thread> nodes;
  for (int node = 1; node <= kNodes; ++node) {
    nodes.emplace_back([&, node] {
      all_are_there.arrive_and_wait();
      const AuthorityFolder claim = AuthorityFolder::Claim(Path(), kClaimPatience).value();
      PeerAuthority authority = claim.Authority(clock_).value();
      ASSERT_TRUE(authority.IssueCertificate("n" + std::to_string(node), {}).ok());
    });
  }
  for (std::thread& node : nodes) node.join();

  const std::string authority = Read("peer-ca.pem");
  for (int node = 1; node <= kNodes; ++node) {
    EXPECT_TRUE(IsSignedBy(authority, Read("n" + std::to_string(node) + ".pem"))) << node;
  }
}

TEST_F(AuthorityFolderTest, AKeyThatACrashLeftAloneIsNoAuthority) {
  ASSERT_TRUE(AuthorityOnce().ok());
  std::filesystem::remove(Path() + "/peer-ca.pem");

  Result<PeerAuthority> authority = AuthorityOnce();

  ASSERT_TRUE(authority.ok()) << authority.status().message();
  ASSERT_TRUE(authority->IssueCertificate("n1", {}).ok());
  EXPECT_TRUE(IsSignedBy(Read("peer-ca.pem"), Read("n1.pem")));
}

TEST_F(AuthorityFolderTest, WhereOthersWriteNobodyIsBelieved) {
  EXPECT_TRUE(AuthorityFolder::CheckIsPrivate(Path()).ok());  // Not there yet.
  ASSERT_TRUE(AuthorityOnce().ok());
  EXPECT_TRUE(AuthorityFolder::CheckIsPrivate(Path()).ok());

  ASSERT_EQ(chmod(Path().c_str(), 0770), 0);

  EXPECT_THAT(AuthorityFolder::CheckIsPrivate(Path()).message(), HasSubstr("others can write in"));
  ASSERT_EQ(chmod(Path().c_str(), 0700), 0);
  if (geteuid() != 0) GTEST_SKIP() << "only root makes a folder another user's";
  ASSERT_EQ(chown(Path().c_str(), 65534, 65534), 0);
  EXPECT_THAT(AuthorityFolder::CheckIsPrivate(Path()).message(), HasSubstr("is another user's"));
}

}  // namespace
}  // namespace wharf
