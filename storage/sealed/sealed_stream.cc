#include "storage/sealed/sealed_stream.h"

#include <array>
#include <utility>

#include <fmt/core.h>
#include <openssl/rsa.h>

#include "storage/sealed/openssl_call.h"

namespace wharf {
namespace {

constexpr unsigned kCmsFlags = CMS_BINARY | CMS_STREAM | CMS_DETACHED;
constexpr std::size_t kSealedPieceBytes = 16 << 10;

Status CannotSeal() {
  return {ErrorCode::kGeneralError, "OpenSSL cannot encrypt: " + OpenSslReason()};
}

Status NotWhatWasSealed(const std::string& where) {
  ERR_clear_error();
  return Status::Damage(where + " is damaged: it is not what was encrypted");
}

// What is called safe today, where the defaults are of old: of RSA the padding, of curves how a key
// is made of what both sides know.
bool UseSafeForms(CMS_RecipientInfo* recipient) {
  EVP_PKEY_CTX* const context = CMS_RecipientInfo_get0_pkey_ctx(recipient);
  if (context == nullptr) return false;
  if (CMS_RecipientInfo_type(recipient) == CMS_RECIPINFO_AGREE) {
    return EVP_PKEY_CTX_set_ecdh_kdf_md(context, EVP_sha256()) > 0;
  }
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0 &&
         EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) > 0;
}

// Takes what waits in it.
void Drain(BIO* from, std::string& out) {
  std::array<char, kSealedPieceBytes> space{};
  int read = 0;
  while ((read = BIO_read(from, space.data(), space.size())) > 0) {
    out.append(space.data(), static_cast<std::size_t>(read));
  }
}

bool WriteAll(BIO* to, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kSealedPieceBytes);
    const int written = BIO_write(to, piece.data(), static_cast<int>(piece.size()));
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

struct SealingStream::Parts {
  OpenSslPtr<CMS_ContentInfo> cms;
  // Encrypts into `sealed`, its last part.
  OpenSslPtr<BIO> chain;
  // What was encrypted and not taken yet.
  BIO* sealed = nullptr;
};

SealingStream::SealingStream(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

SealingStream::~SealingStream() = default;

Result<std::unique_ptr<SealingStream>> SealingStream::Begin(const Recipient& recipient) {
  auto parts = std::make_unique<Parts>();
  parts->cms.reset(
      CMS_encrypt(nullptr, nullptr, EVP_aes_256_gcm(), kCmsFlags | unsigned{CMS_PARTIAL}));
  if (!parts->cms) return CannotSeal();
  CMS_RecipientInfo* const added =
      CMS_add1_recipient_cert(parts->cms.get(), recipient.certificate(), CMS_KEY_PARAM);
  if (added == nullptr || !UseSafeForms(added)) return CannotSeal();
  OpenSslPtr<BIO> sealed(BIO_new(BIO_s_mem()));
  parts->chain.reset(CMS_dataInit(parts->cms.get(), sealed.get()));
  if (!parts->chain) return CannotSeal();
  parts->sealed = sealed.release();
  return std::unique_ptr<SealingStream>(new SealingStream(std::move(parts)));
}

Status SealingStream::Add(std::string_view piece, std::string& out) {
  if (!WriteAll(parts_->chain.get(), piece)) return CannotSeal();
  Drain(parts_->sealed, out);
  return {};
}

Status SealingStream::End(std::string& out) {
  if (BIO_flush(parts_->chain.get()) <= 0 ||
      CMS_dataFinal(parts_->cms.get(), parts_->chain.get()) <= 0) {
    return CannotSeal();
  }
  Drain(parts_->sealed, out);
  return {};
}

Result<std::string> SealingStream::Head() const {
  unsigned char* bytes = nullptr;
  const int size = i2d_CMS_ContentInfo(parts_->cms.get(), &bytes);
  if (size <= 0) return CannotSeal();
  std::string head(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return head;
}

struct OpeningStream::Parts {
  OpenSslPtr<CMS_ContentInfo> cms;
  // Decrypts what it reads of `sealed`, its last part.
  OpenSslPtr<BIO> chain;
  // What is to be decrypted, and was not taken yet.
  BIO* sealed = nullptr;
  std::string where;
};

OpeningStream::OpeningStream(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

OpeningStream::~OpeningStream() = default;

Result<std::unique_ptr<OpeningStream>> OpeningStream::Begin(std::string_view head,
                                                            const RecipientKey& key,
                                                            const std::string& where) {
  auto parts = std::make_unique<Parts>();
  parts->where = where;
  const auto* bytes = reinterpret_cast<const unsigned char*>(head.data());
  const bool is_head = head.size() <= kHeadBytesMax;
  if (is_head)
    parts->cms.reset(d2i_CMS_ContentInfo(nullptr, &bytes, static_cast<long>(head.size())));
  // Only what is authenticated is read.
  const bool is_sealed = parts->cms && OBJ_obj2nid(CMS_get0_type(parts->cms.get())) ==
                                           NID_id_smime_ct_authEnvelopedData;
  if (!is_sealed || CMS_decrypt_set1_pkey(parts->cms.get(), key.key(), nullptr) != 1) {
    return NotWhatWasSealed(where);
  }
  OpenSslPtr<BIO> sealed(BIO_new(BIO_s_mem()));
  parts->chain.reset(CMS_dataInit(parts->cms.get(), sealed.get()));
  if (!parts->chain) return NotWhatWasSealed(where);
  parts->sealed = sealed.release();
  return std::unique_ptr<OpeningStream>(new OpeningStream(std::move(parts)));
}

Status OpeningStream::Add(std::string_view piece, std::string& out) {
  if (!WriteAll(parts_->sealed, piece)) return NotWhatWasSealed(parts_->where);
  Drain(parts_->chain.get(), out);
  return BIO_should_retry(parts_->chain.get()) != 0 ? Status() : NotWhatWasSealed(parts_->where);
}

// Nothing comes behind what there is, so that the cipher looks at its tag.
Status OpeningStream::End(std::string& out) {
  BIO_set_mem_eof_return(parts_->sealed, 0);
  Drain(parts_->chain.get(), out);
  long is_whole = 0;  // NOLINT(google-runtime-int): OpenSSL's.
  for (BIO* each = parts_->chain.get(); each != nullptr; each = BIO_next(each)) {
    if (BIO_method_type(each) == BIO_TYPE_CIPHER) is_whole = BIO_get_cipher_status(each);
  }
  return is_whole == 1 ? Status() : NotWhatWasSealed(parts_->where);
}

}  // namespace wharf
