// Recipient: the certificate that bytes are encrypted to, so that only who has its private key
// reads them.
//
// RecipientKey is that private key; who encrypts never has it. Both are told by the SHA-256 of the
// public key, so a certificate that is renewed with its key is the same recipient. Values, on any
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"

extern "C" {
struct x509_st;
struct evp_pkey_st;
}

namespace wharf {

class Recipient {
 public:
  static constexpr std::size_t kPemBytesMax = 64 << 10;

  // Of the first certificate of the text, of a strong key; `where` is what a sentence calls that.
  static Result<Recipient> Parse(std::string_view pem, const std::string& where);
  // Of a file, which has no private key.
  static Result<Recipient> Read(const std::string& path);

  // SHA-256 of the public key, in hexadecimal.
  const std::string& key_id() const { return key_id_; }
  // Whose certificate it is, for people; never empty.
  const std::string& name() const { return name_; }
  x509_st* certificate() const { return certificate_.get(); }

 private:
  std::shared_ptr<x509_st> certificate_;
  std::string key_id_;
  std::string name_;
};

class RecipientKey {
 public:
  // In PEM; one that has a passphrase asks for it at the terminal.
  static Result<RecipientKey> Read(const std::string& path);

  const std::string& key_id() const { return key_id_; }
  evp_pkey_st* key() const { return key_.get(); }

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::string key_id_;
};

using RecipientKeys = std::vector<RecipientKey>;

// Null: it is not among them.
const RecipientKey* FindKey(const RecipientKeys& keys, std::string_view key_id);

}  // namespace wharf
