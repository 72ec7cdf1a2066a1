#include "storage/sealed/block_cipher.h"

#include <algorithm>
#include <utility>

#include <openssl/rand.h>

#include "storage/sealed/openssl_call.h"
#include "storage/sealed/sealed_stream.h"

namespace wharf {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kLengthBytes = 4;

std::array<unsigned char, kNonceBytes> NonceOf(std::uint64_t number) {
  std::array<unsigned char, kNonceBytes> nonce{};
  for (std::size_t at = 0; at < sizeof(number); ++at) {
    nonce[kNonceBytes - 1 - at] = static_cast<unsigned char>(number >> (8 * at));
  }
  return nonce;
}

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Status CannotSealBlock() {
  return {ErrorCode::kGeneralError, "OpenSSL cannot encrypt: " + OpenSslReason()};
}

Status BlockIsDamaged(const std::string& where) {
  ERR_clear_error();
  return Status::Damage(where + " is damaged: it is not what was encrypted");
}

std::string LengthText(std::size_t length) {
  std::string text;
  for (std::size_t at = kLengthBytes; at-- > 0;)
    text.push_back(static_cast<char>(length >> (8 * at)));
  return text;
}

}  // namespace

BlockCipher::Key::~Key() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

Result<BlockCipher> BlockCipher::Make(const Recipient& recipient) {
  BlockCipher cipher;
  if (RAND_bytes(cipher.key_.bytes.data(), static_cast<int>(kKeyBytes)) != 1)
    return CannotSealBlock();
  const Result<std::unique_ptr<SealingStream>> stream = SealingStream::Begin(recipient);
  if (!stream.ok()) return stream.status();
  std::string sealed;
  const std::string_view key(reinterpret_cast<char*>(cipher.key_.bytes.data()), kKeyBytes);
  WHARF_RETURN_IF_ERROR((*stream)->Add(key, sealed));
  WHARF_RETURN_IF_ERROR((*stream)->End(sealed));
  const Result<std::string> head = (*stream)->Head();
  if (!head.ok()) return head.status();
  cipher.wrapped_ = LengthText(head->size()) + *head + sealed;
  return cipher;
}

Result<BlockCipher> BlockCipher::Open(std::string_view wrapped, const RecipientKey& key,
                                      const std::string& where) {
  std::size_t length = 0;
  if (wrapped.size() < kLengthBytes + kKeyBytes) return BlockIsDamaged(where);
  for (const char byte : wrapped.substr(0, kLengthBytes)) {
    length = length << 8 | static_cast<unsigned char>(byte);
  }
  wrapped.remove_prefix(kLengthBytes);
  if (length != wrapped.size() - kKeyBytes) return BlockIsDamaged(where);
  const Result<std::unique_ptr<OpeningStream>> stream =
      OpeningStream::Begin(wrapped.substr(0, length), key, where);
  if (!stream.ok()) return stream.status();
  std::string plain;
  WHARF_RETURN_IF_ERROR((*stream)->Add(wrapped.substr(length), plain));
  WHARF_RETURN_IF_ERROR((*stream)->End(plain));
  if (plain.size() != kKeyBytes) return BlockIsDamaged(where);
  BlockCipher cipher;
  std::copy(plain.begin(), plain.end(), cipher.key_.bytes.begin());
  OPENSSL_cleanse(plain.data(), plain.size());
  return cipher;
}

Result<std::string> BlockCipher::Seal(std::string_view plain, std::uint64_t number,
                                      std::string_view beside) const {
  const OpenSslPtr<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  std::string sealed(plain.size() + kTagBytes, '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(sealed.data());
  int done = 0;
  const bool is_sealed =
      context &&
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key_.bytes.data(),
                         NonceOf(number).data()) == 1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &done, BytesOf(beside),
                        static_cast<int>(beside.size())) == 1 &&
      EVP_EncryptUpdate(context.get(), bytes, &done, BytesOf(plain),
                        static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), bytes + plain.size(), &done) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(kTagBytes),
                          bytes + plain.size()) == 1;
  if (!is_sealed) return CannotSealBlock();
  return sealed;
}

Result<std::string> BlockCipher::OpenBlock(std::string_view sealed, std::uint64_t number,
                                           std::string_view beside,
                                           const std::string& where) const {
  if (sealed.size() < kTagBytes) return BlockIsDamaged(where);
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  sealed.remove_suffix(kTagBytes);
  const OpenSslPtr<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  std::string plain(sealed.size(), '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(plain.data());
  int done = 0;
  const bool is_opened = context &&
                         EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr,
                                            key_.bytes.data(), NonceOf(number).data()) == 1 &&
                         EVP_DecryptUpdate(context.get(), nullptr, &done, BytesOf(beside),
                                           static_cast<int>(beside.size())) == 1 &&
                         EVP_DecryptUpdate(context.get(), bytes, &done, BytesOf(sealed),
                                           static_cast<int>(sealed.size())) == 1 &&
                         EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG,
                                             static_cast<int>(kTagBytes), tag.data()) == 1 &&
                         EVP_DecryptFinal_ex(context.get(), bytes + sealed.size(), &done) == 1;
  if (!is_opened) return BlockIsDamaged(where);
  return plain;
}

}  // namespace wharf
