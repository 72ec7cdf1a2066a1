#include "broker/access/access_key.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <openssl/sha.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace wharf::access {
namespace {

constexpr std::size_t kKeyCharactersMin = 32;
constexpr std::size_t kKeyCharactersMax = 256;

bool IsKeyCharacter(char c) {
  return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != ';';
}

}  // namespace

KeyPrint PrintOf(std::string_view key) {
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest.data());
  KeyPrint print{};
  std::copy_n(digest.begin(), print.size(), print.begin());
  return print;
}

Status CheckKey(std::string_view key) {
  const bool is_key = key.size() >= kKeyCharactersMin && key.size() <= kKeyCharactersMax &&
                      std::all_of(key.begin(), key.end(), IsKeyCharacter);
  if (is_key) return {};
  return {ErrorCode::kArgumentError,
          "a key has 32 to 256 printable characters of ASCII, without blanks and ';'; leave it out "
          "and one is drawn"};
}

// At most 256 bytes come at once or not at all.
KeySource SystemKeys() {
  return [] {
    std::array<std::uint8_t, kKeyBytes> bytes{};
    ssize_t got = 0;
    do {
      got = getrandom(bytes.data(), bytes.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(bytes.size())) {
      spdlog::critical("the operating system gives no random bytes for a key");
      std::abort();
    }
    return bytes;
  };
}

std::string DrawKey(const KeySource& source) {
  const std::array<std::uint8_t, kKeyBytes> bytes = source();
  return absl::Base64Escape(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace wharf::access
