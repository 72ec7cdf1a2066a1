// OpenSSL's objects as values, and what it says went wrong. For this room alone.
#pragma once

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "storage/base/status.h"

namespace wharf {

struct OpenSslDeleter {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(CMS_ContentInfo* cms) const { CMS_ContentInfo_free(cms); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
template <typename Object>
using OpenSslPtr = std::unique_ptr<Object, OpenSslDeleter>;

// What it said last, and nothing of it is left for the next call.
inline std::string OpenSslReason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "OpenSSL gives no reason" : reason;
}

}  // namespace wharf
