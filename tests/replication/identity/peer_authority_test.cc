#include "replication/identity/peer_authority.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "replication/identity/durable_file.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using testing::HasSubstr;

constexpr Timestamp kNow{std::chrono::hours(24 * 365 * 56)};

std::string Read(const std::string& path) {
  return ReadSmallFile(path, 1 << 16).value().value_or("");
}

// What OpenSSL says of a certificate at that time, for this purpose; X509_V_OK is zero.
int Verify(const std::string& authority, const std::string& certificate, Timestamp at,
           int purpose = X509_PURPOSE_SSL_SERVER) {
  const Certificate root = ParseCertificate(authority);
  const Certificate leaf = ParseCertificate(certificate);
  X509_STORE* const store = X509_STORE_new();
  X509_STORE_add_cert(store, root.get());
  X509_STORE_CTX* const context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context, purpose);
  X509_STORE_CTX_set_time(
      context, 0, std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
  X509_verify_cert(context);
  const int result = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return result;
}

class PeerAuthorityTest : public ::testing::Test {
 protected:
  std::string Folder() const { return folder_.path() + "/peers"; }

  TempFolder folder_;
  ManualClock clock_{kNow};
};

TEST_F(PeerAuthorityTest, ANodesCertificateIsGoodForBothEndsOfAStream) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  ASSERT_TRUE(authority.ok()) << authority.status().message();

  const auto files = authority.value().IssueCertificate("n1", {"127.0.0.1", "::1", "broker.local"});

  ASSERT_TRUE(files.ok()) << files.status().message();
  const std::string root = Read(files.value().authority);
  const std::string leaf = Read(files.value().certificate);
  EXPECT_EQ(Verify(root, leaf, kNow, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_EQ(Verify(root, leaf, kNow, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  const Certificate certificate = ParseCertificate(leaf);
  EXPECT_EQ(NodeNameIn(certificate.get()), "n1");
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "broker.local", 0, 0, nullptr), 1);
  const PrivateKey key = ParseKey(Read(files.value().key));
  EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  EXPECT_EQ(EVP_PKEY_get_bits(key.get()), 256);
}

TEST_F(PeerAuthorityTest, ANodeCannotSignOtherNodes) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  const auto files = authority.value().IssueCertificate("n1", {});
  const PemPair node{.certificate = Read(files.value().certificate),
                     .key = Read(files.value().key)};

  const auto forged = SignNode(node, "n2", {}, {.begins_at = kNow, .ends_at = kNow + kNodeLife});

  EXPECT_EQ(forged.status().code(), ErrorCode::kArgumentError);
  EXPECT_EQ(X509_check_ca(ParseCertificate(node.certificate).get()), 0);
  EXPECT_NE(X509_check_ca(ParseCertificate(Read(files.value().authority)).get()), 0);
}

TEST_F(PeerAuthorityTest, AnotherAuthorityDoesNotVouchForIt) {
  const Validity validity{.begins_at = kNow, .ends_at = kNow + kNodeLife};
  const PemPair one = MakeAuthority(validity).value();
  const PemPair other = MakeAuthority(validity).value();
  const PemPair node = SignNode(one, "n1", {}, validity).value();

  EXPECT_EQ(Verify(one.certificate, node.certificate, kNow), X509_V_OK);
  EXPECT_NE(Verify(other.certificate, node.certificate, kNow), X509_V_OK);
}

TEST_F(PeerAuthorityTest, NodesAreGoodForThreeYearsAndTheAuthorityForTen) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  const auto files = authority.value().IssueCertificate("n1", {});
  const std::string root = Read(files.value().authority);
  const std::string leaf = Read(files.value().certificate);
  const auto years = [](int count) { return std::chrono::hours(24 * 365 * count); };

  EXPECT_EQ(Verify(root, leaf, kNow + years(3)), X509_V_OK);
  EXPECT_EQ(Verify(root, leaf, kNow + years(3) + std::chrono::hours(48)),
            X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(EndOf(ParseCertificate(leaf).get()), kNow + kNodeLife);
  EXPECT_EQ(EndOf(ParseCertificate(root).get()), kNow + kAuthorityLife);
}

TEST_F(PeerAuthorityTest, AClockThatIsAMinuteBehindTakesANewCertificate) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  const auto files = authority.value().IssueCertificate("n1", {});

  EXPECT_EQ(Verify(Read(files.value().authority), Read(files.value().certificate),
                   kNow - std::chrono::minutes(1)),
            X509_V_OK);
}

TEST_F(PeerAuthorityTest, NoCertificateOutlivesItsAuthority) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  clock_.Advance(kAuthorityLife - std::chrono::hours(24));

  const auto files = authority.value().IssueCertificate("n1", {});

  EXPECT_EQ(EndOf(ParseCertificate(Read(files.value().certificate)).get()), kNow + kAuthorityLife);
}

TEST_F(PeerAuthorityTest, AllFilesArePrivate) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  ASSERT_TRUE(authority.value().IssueCertificate("n1", {}).ok());

  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(Folder())) {
    struct stat about {};
    ASSERT_EQ(::stat(file.path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 4);
  struct stat about {};
  ASSERT_EQ(::stat(Folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST_F(PeerAuthorityTest, AnAuthorityIsNeverReplaced) {
  ASSERT_TRUE(PeerAuthority::Make(Folder(), clock_).ok());
  const std::string before = Read(Folder() + "/peer-ca.pem");

  EXPECT_EQ(PeerAuthority::Make(Folder(), clock_).status().code(), ErrorCode::kInvalidOperation);

  EXPECT_EQ(Read(Folder() + "/peer-ca.pem"), before);
}

TEST_F(PeerAuthorityTest, OpenedAgainItSignsAsBefore) {
  ASSERT_TRUE(PeerAuthority::Make(Folder(), clock_).ok());
  auto again = PeerAuthority::Open(Folder(), clock_);
  ASSERT_TRUE(again.ok()) << again.status().message();

  const auto files = again.value().IssueCertificate("n1", {});

  EXPECT_EQ(Verify(Read(files.value().authority), Read(files.value().certificate), kNow),
            X509_V_OK);
}

TEST_F(PeerAuthorityTest, WhereNoneWasMadeNoneIsOpened) {
  EXPECT_THAT(PeerAuthority::Open(Folder(), clock_).status().message(),
              HasSubstr("make the cluster's authority first"));
}

TEST_F(PeerAuthorityTest, ACertificateIsRenewedByIssuingItAgain) {
  auto authority = PeerAuthority::Make(Folder(), clock_);
  const auto first = authority.value().IssueCertificate("n1", {});
  const std::string before = Read(first.value().certificate);
  clock_.Advance(kNodeLife - kRenewalTime);

  const auto second = authority.value().IssueCertificate("n1", {});

  EXPECT_EQ(second.value().certificate, first.value().certificate);
  EXPECT_NE(Read(second.value().certificate), before);
  EXPECT_EQ(EndOf(ParseCertificate(Read(second.value().certificate)).get()),
            clock_.Now() + kNodeLife);
}

TEST_F(PeerAuthorityTest, WhatIsNoNameOrNoAddressIsRefusedAndNothingWritten) {
  auto authority = PeerAuthority::Make(Folder(), clock_);

  for (const char* name : {"", "N1", "../n1", "peer-ca"}) {
    EXPECT_FALSE(authority.value().IssueCertificate(name, {}).ok()) << name;
  }
  for (const char* address : {"", "a,URI:wharf://node/n2", "host:5691", "two words", "a;b"}) {
    EXPECT_FALSE(authority.value().IssueCertificate("n1", {address}).ok()) << address;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Folder()), {}), 2);
}

TEST_F(PeerAuthorityTest, AKeyThatIsNotTheAuthoritysSignsNothing) {
  const Validity validity{.begins_at = kNow, .ends_at = kNow + kNodeLife};
  PemPair mixed = MakeAuthority(validity).value();
  mixed.key = MakeAuthority(validity).value().key;

  EXPECT_FALSE(SignNode(mixed, "n1", {}, validity).ok());
  EXPECT_FALSE(SignNode({}, "n1", {}, validity).ok());
}

}  // namespace
}  // namespace wharf
