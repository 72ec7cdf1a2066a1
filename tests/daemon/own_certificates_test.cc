// What a node makes to prove itself, when nobody names files.

#include "broker/daemon/cluster/own_certificates.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "replication/identity/authority_folder.h"
#include "replication/identity/durable_file.h"
#include "storage/base/wall_clock.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration kMonth = std::chrono::hours(24 * 30);
constexpr Duration kDay = std::chrono::hours(24);

class OwnCertificatesTest : public ::testing::Test {
 protected:
  std::string Folder() const { return folder_.path() + "/peers"; }
  std::string PathOf(const std::string& name) const { return Folder() + "/" + name; }
  std::string Read(const std::string& name) const {
    return ReadSmallFile(PathOf(name), 1 << 16).value().value_or("");
  }
  // When it ends; and it is good, or there would be nothing.
  Timestamp Load(const std::string& node = "n1") {
    const auto loaded = OwnCertificates(Folder(), node, clock_).Load();
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return loaded.ok() ? (*loaded)->content()->ends_at : Timestamp();
  }
  // As if n1 had been made so long ago that a month of it is left.
  void MakeOneThatEndsInAMonth() {
    ManualClock before(clock_.Now() + kMonth - kNodeLife);
    ASSERT_TRUE(OwnCertificates(Folder(), "n1", before).Load().ok());
  }

  TempFolder folder_;
  // What it says when certificates are made is past for who believes them, also two days later.
  ManualClock clock_{WallClock().Now() - 3 * kDay};
};

TEST_F(OwnCertificatesTest, WhatIsMissingIsMadeAndNobodyElseReadsIt) {
  Load("n1");
  const std::string authority = Read("peer-ca.pem");
  Load("n2");

  EXPECT_EQ(Read("peer-ca.pem"), authority);
  for (const std::string name :
       {"peer-ca.pem", "peer-ca.key", "n1.pem", "n1.key", "n2.pem", "n2.key"}) {
    struct stat facts {};
    ASSERT_EQ(stat(PathOf(name).c_str(), &facts), 0) << name;
    EXPECT_EQ(facts.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(OwnCertificatesTest, WhatIsGoodIsNotMadeAnew) {
  Load();
  const std::string before = Read("n1.pem");

  Load();

  EXPECT_EQ(Read("n1.pem"), before);
}

TEST_F(OwnCertificatesTest, WhatIsGoodStaysAlsoWithoutTheKeyOfTheAuthority) {
  Load();
  const std::string before = Read("n1.pem");
  std::filesystem::remove(PathOf("peer-ca.key"));

  Load();

  EXPECT_EQ(Read("n1.pem"), before);
}

TEST_F(OwnCertificatesTest, AKeyWithoutItsCertificateIsReplacedWithIt) {
  Load("n1");
  Load("n2");
  // As a kill between the two files leaves them when n1 is made anew, and when it is made at all.
  std::filesystem::copy_file(PathOf("n2.key"), PathOf("n1.key"),
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(PathOf("n2.pem"));

  EXPECT_GT(Load("n1"), clock_.Now());
  EXPECT_GT(Load("n2"), clock_.Now());
}

TEST_F(OwnCertificatesTest, OneOfAnAuthorityThatIsGoneIsMadeAnew) {
  Load();
  std::filesystem::remove(PathOf("peer-ca.pem"));

  EXPECT_GT(Load(), clock_.Now());
}

TEST_F(OwnCertificatesTest, WhatEndsSoonIsMadeAnewAtAStart) {
  MakeOneThatEndsInAMonth();

  EXPECT_GT(Load(), clock_.Now() + kRenewalTime);
}

TEST_F(OwnCertificatesTest, WhatEndsSoonIsGoodForAsLongAsItCannotBeMadeAnew) {
  MakeOneThatEndsInAMonth();
  std::filesystem::remove(PathOf("peer-ca.key"));

  const Timestamp ends_at = Load();

  EXPECT_GT(ends_at, clock_.Now());
  EXPECT_LT(ends_at, clock_.Now() + kRenewalTime);
}

// It is made anew each day until then, and of no more use.
TEST_F(OwnCertificatesTest, ThatItsAuthorityEndsSoonIsTold) {
  const auto said_by = [this](Duration before_its_end) {
    std::filesystem::remove_all(Folder());
    ManualClock first(clock_.Now() + before_its_end - kAuthorityLife);
    EXPECT_TRUE(AuthorityFolder::Claim(Folder(), kClaimPatience)->Authority(first).ok());
    std::ostringstream said;
    const auto usual = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
    Load("n1");
    spdlog::set_default_logger(usual);
    return said.str();
  };

  EXPECT_THAT(said_by(kMonth), HasSubstr("the authority in " + Folder() + " ends soon"));
  EXPECT_THAT(said_by(kMonth * 6), Not(HasSubstr("ends soon")));
}

TEST_F(OwnCertificatesTest, ANodeThatRunsForYearsMakesItsOwnAnewInTime) {
  MakeOneThatEndsInAMonth();
  std::filesystem::rename(PathOf("peer-ca.key"), PathOf("away"));
  OwnCertificates own(Folder(), "n1", clock_);
  const auto certificates = own.Load().value();
  const std::string before = Read("n1.pem");

  own.RenewInTime(*certificates);
  std::filesystem::rename(PathOf("away"), PathOf("peer-ca.key"));
  own.RenewInTime(*certificates);  // What failed is not tried each second.
  EXPECT_EQ(Read("n1.pem"), before);
  clock_.Advance(kDay);
  own.RenewInTime(*certificates);
  certificates->Look();
  certificates->Look();

  EXPECT_NE(Read("n1.pem"), before);
  EXPECT_GT(certificates->content()->ends_at, clock_.Now() + kRenewalTime);
  const std::string renewed = Read("n1.pem");
  clock_.Advance(kDay);
  own.RenewInTime(*certificates);
  EXPECT_EQ(Read("n1.pem"), renewed);
}

TEST_F(OwnCertificatesTest, WhereNothingCanBeMadeOneSentenceSaysWhatToDo) {
  std::ofstream(Folder()) << "no folder";

  EXPECT_THAT(
      OwnCertificates(Folder(), "n1", clock_).Load().status().message(),
      testing::AllOf(HasSubstr("the certificate of node n1 cannot be made: "), HasSubstr(Folder()),
                     HasSubstr("`wharf cluster certificate n1 --folder FOLDER`")));
}

TEST_F(OwnCertificatesTest, AFolderInWhichOthersWriteIsNotBelieved) {
  Load();
  ASSERT_EQ(chmod(Folder().c_str(), 0777), 0);

  EXPECT_THAT(OwnCertificates(Folder(), "n1", clock_).Load().status().message(),
              HasSubstr("others can write in " + Folder()));
}

}  // namespace
}  // namespace wharf
