// What is encrypted to a certificate: streams and blocks, and who can read them.
#include <array>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <unistd.h>

#include "storage/sealed/block_cipher.h"
#include "storage/sealed/recipient.h"
#include "storage/sealed/sealed_stream.h"
#include "tests/storage/recipient_pair.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RecipientTest, IsTheFirstCertificateWithWhateverStandsBefore) {
  const Somebody somebody("backups of Wharf");
  const RecipientPair other = MakeRecipientPair("other");

  const auto found =
      Recipient::Parse("a remark\n" + somebody.pair().certificate + other.certificate, "it");

  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->name(), "CN=backups of Wharf");
  EXPECT_EQ(found->key_id(), somebody.key().key_id());
  EXPECT_NE(found->key_id(), Recipient::Parse(other.certificate, "it")->key_id());
}

TEST(RecipientTest, WhatIsNoneIsOneSentence) {
  const Somebody somebody("me");
  EVP_PKEY* const edwards = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  for (const std::string& text :
       {std::string(),
        std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        somebody.pair().key, somebody.pair().certificate.substr(0, 200)}) {
    const Status refused = Recipient::Parse(text, "FILE").status();
    EXPECT_EQ(refused.code(), ErrorCode::kArgumentError);
    EXPECT_THAT(refused.message(), HasSubstr("FILE is no certificate in PEM"));
  }
  EXPECT_THAT(Recipient::Parse(std::string(65 << 10, 'x'), "it").status().message(),
              HasSubstr("too long"));
  for (EVP_PKEY* const key : {edwards, EVP_RSA_gen(1024), EVP_EC_gen("secp112r1"),
                              EVP_EC_gen("prime192v1"), EVP_EC_gen("secp256k1")}) {
    EXPECT_THAT(Recipient::Parse(MakeRecipientPair("it", key).certificate, "it").status().message(),
                HasSubstr("nothing is encrypted to"));
  }
  EXPECT_THAT(Recipient::Read(somebody.key_path()).status().message(),
              HasSubstr("has a private key in it"));
  EXPECT_THAT(Recipient::Read("/no/such/file").status().message(), HasSubstr("cannot be read"));
  EXPECT_THAT(RecipientKey::Read("/dev/null").status().message(), HasSubstr("is no private key"));
}

TEST(RecipientTest, SafeKeysAreTaken) {
  for (EVP_PKEY* const key :
       {EVP_RSA_gen(2048), EVP_EC_gen("P-256"), EVP_EC_gen("P-384"), EVP_EC_gen("P-521")}) {
    EXPECT_TRUE(Recipient::Parse(MakeRecipientPair("it", key).certificate, "it").ok());
  }
}

TEST(RecipientTest, AKeyIsTheSameHoweverItsFileWritesItsPoint) {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  EVP_PKEY* const compressed = EVP_PKEY_dup(key);
  EVP_PKEY_set_utf8_string_param(compressed, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
                                 "compressed");
  const Somebody plain("me", key);
  const RecipientPair other = MakeRecipientPair("me", compressed);
  ASSERT_NE(other.certificate.size(), plain.pair().certificate.size());

  EXPECT_EQ(Recipient::Parse(other.certificate, "it")->key_id(), plain.key().key_id());
}

TEST(RecipientTest, OneWithoutANameIsCalledByItsKey) {
  const auto nameless = Recipient::Parse(MakeRecipientPair("").certificate, "it");
  ASSERT_TRUE(nameless.ok());
  EXPECT_THAT(nameless->name(), HasSubstr(nameless->key_id().substr(0, 16)));
}

// A standard input on which nothing ever comes.
class SilentInput {
 public:
  SilentInput() : before_(dup(STDIN_FILENO)) {
    EXPECT_EQ(pipe(ends_.data()), 0);
    dup2(ends_[0], STDIN_FILENO);
  }
  ~SilentInput() {
    dup2(before_, STDIN_FILENO);
    for (const int each : {before_, ends_[0], ends_[1]}) close(each);
  }

 private:
  const int before_;
  std::array<int, 2> ends_{};
};

// It may be what a client sends, and nobody sits there to be asked.
TEST(RecipientTest, NobodyIsAskedForAPassphraseOfACertificate) {
  const SilentInput input;
  const Status refused = Recipient::Parse(
                             "-----BEGIN CERTIFICATE-----\n"
                             "Proc-Type: 4,ENCRYPTED\n"
                             "DEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\n"
                             "AAAAAAAAAAAAAAAAAAAAAA==\n-----END CERTIFICATE-----\n",
                             "FILE")
                             .status();
  EXPECT_THAT(refused.message(), HasSubstr("FILE is no certificate in PEM"));
}

// Sealed in pieces of this size; a head, and what was made.
std::pair<std::string, std::string> Seal(const Recipient& recipient, std::string_view plain,
                                         std::size_t piece) {
  const auto stream = SealingStream::Begin(recipient).value();
  std::string sealed;
  for (std::size_t at = 0; at < plain.size(); at += piece) {
    EXPECT_TRUE(stream->Add(plain.substr(at, piece), sealed).ok());
  }
  EXPECT_TRUE(stream->End(sealed).ok());
  return {stream->Head().value(), sealed};
}

Result<std::string> Open(const RecipientKey& key, std::string_view head, std::string_view sealed,
                         std::size_t piece) {
  const auto stream = OpeningStream::Begin(head, key, "it");
  if (!stream.ok()) return stream.status();
  std::string plain;
  for (std::size_t at = 0; at < sealed.size(); at += piece) {
    WHARF_RETURN_IF_ERROR((*stream)->Add(sealed.substr(at, piece), plain));
  }
  WHARF_RETURN_IF_ERROR((*stream)->End(plain));
  return plain;
}

TEST(SealedStreamTest, IsReadByItsKeyHoweverItIsCutIntoPieces) {
  for (EVP_PKEY* const key : {EVP_EC_gen("P-384"), EVP_RSA_gen(2048)}) {
    const Somebody somebody("me", key);
    for (const std::size_t size : {0, 1, 4095, 4096, 4097, 300'000}) {
      std::string plain(size, 'x');
      for (std::size_t at = 0; at < size; ++at) plain[at] = static_cast<char>(at * 31);

      const auto [head, sealed] = Seal(somebody.recipient(), plain, 70'001);

      EXPECT_EQ(sealed.size(), size);
      EXPECT_LT(head.size(), 2048);
      EXPECT_TRUE(size < 16 || sealed.find(plain.substr(0, 16)) == std::string::npos);
      EXPECT_EQ(Open(somebody.key(), head, sealed, 9'999).value(), plain);
    }
  }
}

// By which forms the key of the content comes to the recipient: identifiers of ASN.1, as they stand
// in the head.
TEST(SealedStreamTest, KeysTravelInSafeForms) {
  const std::string rsa_oaep("\x2A\x86\x48\x86\xF7\x0D\x01\x01\x07", 9);
  const std::string rsa_pkcs1("\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01", 9);
  const std::string sha256("\x60\x86\x48\x01\x65\x03\x04\x02\x01", 9);
  const std::string dh_sha256_kdf("\x2B\x81\x04\x01\x0B\x01", 6);

  const std::string of_rsa = Seal(Somebody("me", EVP_RSA_gen(2048)).recipient(), "x", 1).first;
  EXPECT_THAT(of_rsa, HasSubstr(rsa_oaep));
  EXPECT_THAT(of_rsa, HasSubstr(sha256));
  EXPECT_THAT(of_rsa, Not(HasSubstr(rsa_pkcs1)));
  EXPECT_THAT(Seal(Somebody("me").recipient(), "x", 1).first, HasSubstr(dh_sha256_kdf));
}

TEST(SealedStreamTest, WhatWasChangedOrCutAnywhereIsDamage) {
  const Somebody somebody("me");
  const std::string plain(5000, 'x');
  const auto [head, sealed] = Seal(somebody.recipient(), plain, 1000);
  const auto is_damage = [&](const std::string& some_head, const std::string& some) {
    const auto opened = Open(somebody.key(), some_head, some, 1000);
    return opened.status().is_damage();
  };

  for (std::size_t at = 0; at < sealed.size(); at += 97) {
    std::string changed = sealed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_TRUE(is_damage(head, changed)) << at;
    EXPECT_TRUE(is_damage(head, sealed.substr(0, at))) << at;
  }
  EXPECT_TRUE(is_damage(head, sealed + "x"));
  EXPECT_TRUE(is_damage(Seal(somebody.recipient(), plain, 1000).first, sealed));
  for (std::size_t at = 0; at < head.size(); ++at)
    EXPECT_TRUE(is_damage(head.substr(0, at), sealed));
}

TEST(SealedStreamTest, AHeadWithAFlippedBitNeverGivesOtherBytes) {
  const Somebody somebody("me");
  const auto [head, sealed] = Seal(somebody.recipient(), "the bytes", 100);
  for (std::size_t at = 0; at < head.size(); ++at) {
    for (const char bit : {1, 64}) {
      std::string changed = head;
      changed[at] = static_cast<char>(changed[at] ^ bit);
      const auto opened = Open(somebody.key(), changed, sealed, 100);
      EXPECT_TRUE(!opened.ok() || *opened == "the bytes") << at;
    }
  }
}

TEST(BlockCipherTest, ABlockIsReadWithItsNumberAndWhatStandsBesideIt) {
  const Somebody somebody("me");
  const auto made = BlockCipher::Make(somebody.recipient()).value();
  const std::string sealed = made.Seal("the block", 7, "beside").value();

  const auto opened = BlockCipher::Open(made.wrapped(), somebody.key(), "it").value();

  EXPECT_EQ(opened.OpenBlock(sealed, 7, "beside", "it").value(), "the block");
  EXPECT_TRUE(opened.OpenBlock(sealed, 8, "beside", "it").status().is_damage());
  EXPECT_TRUE(opened.OpenBlock(sealed, 7, "besides", "it").status().is_damage());
  EXPECT_TRUE(opened.OpenBlock(sealed.substr(1), 7, "beside", "it").status().is_damage());
  EXPECT_TRUE(opened.OpenBlock("", 7, "beside", "it").status().is_damage());
  for (std::size_t cut = 1; cut <= made.wrapped().size(); ++cut) {
    const std::string_view wrapped(made.wrapped().data(), made.wrapped().size() - cut);
    EXPECT_FALSE(BlockCipher::Open(wrapped, somebody.key(), "it").ok()) << cut;
  }
  EXPECT_NE(BlockCipher::Make(somebody.recipient())->Seal("the block", 7, "beside").value(),
            sealed);
}

}  // namespace
}  // namespace wharf
