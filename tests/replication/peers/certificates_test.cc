#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/identity/durable_file.h"
#include "replication/peers/admission/peer_certificates.h"
#include "tests/replication/peers/peer_fixture.h"

namespace wharf {
namespace {

using testing::HasSubstr;

class PeerCertificatesTest : public ::testing::Test {
 protected:
  static std::string ReasonFor(const PeerCredentials& files, const std::string& node = "n1") {
    return PeerCertificates::Load(files, node).status().message();
  }
  static Validity Until(Duration from_now) {
    const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    return {.begins_at = now - std::chrono::hours(48), .ends_at = now + from_now};
  }

  TestAuthority authority_;
};

TEST_F(PeerCertificatesTest, ThoseOfTheNodeAreTakenAndSayWhenTheyEnd) {
  const auto certificates = authority_.Issue("n1");

  ASSERT_NE(certificates, nullptr);
  const Timestamp ends_at = certificates->content()->ends_at;
  EXPECT_LT(TestAuthority::Today().ends_at - ends_at, std::chrono::minutes(5));
  EXPECT_TRUE(NeedsRenewal(ends_at, ends_at - kRenewalTime));
  EXPECT_FALSE(NeedsRenewal(ends_at, ends_at - kRenewalTime - Duration(1)));
}

TEST_F(PeerCertificatesTest, WhatPeersWouldNotBelieveIsRefusedAtOnce) {
  const PemPair good = SignNode(authority_.own(), "n1", {}, TestAuthority::Today()).value();
  const PemPair other = SignNode(authority_.own(), "n2", {}, TestAuthority::Today()).value();
  const PemPair expired =
      SignNode(authority_.own(), "n1", {}, Until(-std::chrono::hours(1))).value();
  const PemPair foreign =
      SignNode(MakeAuthority(TestAuthority::Today()).value(), "n1", {}, TestAuthority::Today())
          .value();

  EXPECT_EQ(ReasonFor(authority_.Write("good", good)), "");
  EXPECT_THAT(ReasonFor(authority_.Write("other", other)),
              HasSubstr("it is the certificate of node n2, this is n1"));
  EXPECT_THAT(ReasonFor(authority_.Write("expired", expired)), HasSubstr("has expired"));
  EXPECT_THAT(ReasonFor(authority_.Write("foreign", foreign)), HasSubstr("would not believe it"));
  EXPECT_THAT(ReasonFor(authority_.Write("mixed", {good.certificate, other.key})),
              HasSubstr("mixed.key"));
  EXPECT_THAT(ReasonFor(authority_.Write("empty", {"", good.key})),
              HasSubstr("it holds no certificate in PEM"));
  // An authority is no node.
  EXPECT_THAT(ReasonFor(authority_.Write("ca", authority_.own())), HasSubstr("it names no node"));
}

TEST_F(PeerCertificatesTest, AFileThatIsMissingOrNotNamedIsCalledSo) {
  PeerCredentials files = authority_.IssueFiles("n1");
  EXPECT_THAT(ReasonFor({}), HasSubstr("peers need three files"));
  std::filesystem::remove(files.key);
  EXPECT_THAT(ReasonFor(files), HasSubstr(files.key + ": there is no such file"));
}

TEST_F(PeerCertificatesTest, NewFilesAreTakenWhenTheyHaveSettled) {
  const auto certificates = authority_.Issue("n1");
  const auto before = certificates->content();
  certificates->Look();
  EXPECT_EQ(certificates->content(), before);

  authority_.IssueFiles("n1");
  certificates->Look();
  EXPECT_EQ(certificates->content(), before);  // They may still be changing.
  certificates->Look();

  EXPECT_NE(certificates->content(), before);
}

TEST_F(PeerCertificatesTest, FilesThatAreWrongChangeNothingUntilTheyAreRight) {
  const auto certificates = authority_.Issue("n1");
  const auto before = certificates->content();
  const PemPair other = SignNode(authority_.own(), "n2", {}, TestAuthority::Today()).value();

  authority_.Write("n1", other);
  certificates->Reload();
  EXPECT_EQ(certificates->content(), before);

  authority_.IssueFiles("n1");
  certificates->Reload();
  EXPECT_NE(certificates->content(), before);
}

}  // namespace
}  // namespace wharf
