#include "storage/backup/sha256.h"

#include <array>
#include <cstdlib>

#include <absl/strings/escaping.h>
#include <openssl/evp.h>

namespace wharf {

struct Sha256::Context {
  EVP_MD_CTX* const evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

namespace {

// It fails for want of memory alone.
void Require(int done) {
  if (done != 1) std::abort();
}

}  // namespace

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  Require(EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::Add(std::string_view piece) {
  Require(EVP_DigestUpdate(context_->evp, piece.data(), piece.size()));
}

std::string Sha256::Take() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned int size = 0;
  Require(EVP_DigestFinal_ex(context_->evp, sum.data(), &size));
  return absl::BytesToHexString({reinterpret_cast<const char*>(sum.data()), size});
}

}  // namespace wharf
