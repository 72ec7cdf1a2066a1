#include "broker/access/token.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "absl/strings/escaping.h"
#include "broker/access/access_rule.h"
#include "broker/access/ascii_text.h"
#include "broker/access/resource.h"

namespace wharf::access {
namespace {

constexpr std::string_view kScheme = "SharedAccessSignature";
constexpr std::size_t kSignatureBytes = 32;

Status Malformed(std::string_view why) {
  return {ErrorCode::kUnauthorized, fmt::format("the token is malformed: {}", why)};
}

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// A '+' is itself: base64 has it, and nothing here has blanks.
std::optional<std::string> Unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const std::optional<int> high = HexDigit(text[i + 1]);
    const std::optional<int> low = HexDigit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    plain.push_back(static_cast<char>(*high * 16 + *low));
    i += 2;
  }
  return plain;
}

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_plain = IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.' || c == '~';
    escaped += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

// Each field at most once; what has another name means nothing.
struct Fields {
  std::optional<std::string_view> sr;
  std::optional<std::string_view> sig;
  std::optional<std::string_view> se;
  std::optional<std::string_view> skn;

  std::optional<std::string_view>* Find(std::string_view name) {
    if (name == "sr") return &sr;
    if (name == "sig") return &sig;
    if (name == "se") return &se;
    return name == "skn" ? &skn : nullptr;
  }
  bool is_whole() const { return sr && sig && se && skn; }
};

Result<Fields> FieldsOf(std::string_view text) {
  if (text.size() > kTokenBytesMax) return Malformed("it has more than 4096 bytes");
  if (!EqualsInAnyCase(text.substr(0, kScheme.size()), kScheme)) {
    return Malformed("it does not begin with SharedAccessSignature");
  }
  text.remove_prefix(kScheme.size());
  if (text.empty() || text.front() != ' ') {
    return Malformed("a blank must follow SharedAccessSignature");
  }
  Fields fields;
  for (const std::string_view field : Split(Stripped(text), '&')) {
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) return Malformed("a field has no '='");
    std::optional<std::string_view>* const place = fields.Find(field.substr(0, equals));
    if (place == nullptr) continue;
    if (*place) return Malformed("a field stands twice");
    *place = field.substr(equals + 1);
  }
  if (!fields.is_whole()) return Malformed("it must have the fields sr, sig, se and skn");
  return fields;
}

// Later than anybody counts is never.
std::optional<Timestamp> TimeOfSeconds(std::string_view text) {
  std::uint64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, seconds);
  if (text.empty() || stopped != end || error == std::errc::invalid_argument) return std::nullopt;
  constexpr std::uint64_t kSecondsMax =
      static_cast<std::uint64_t>(kNever.time_since_epoch().count()) / 1'000'000;
  if (error == std::errc::result_out_of_range || seconds >= kSecondsMax) return kNever;
  return Timestamp(std::chrono::seconds(seconds));
}

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

// Empty if OpenSSL has no SHA-256; then nothing is signed with anything.
std::string Sign(std::string_view text, std::string_view key) {
  Digest digest{};
  unsigned int size = 0;
  const unsigned char* const made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  if (made == nullptr) return {};
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

Result<Token> ParseToken(std::string_view text) {
  const Result<Fields> fields = FieldsOf(text);
  if (!fields.ok()) return fields.status();
  const std::optional<std::string> uri = Unescape(*fields->sr);
  const std::optional<std::string> signature = Unescape(*fields->sig);
  const std::optional<std::string> rule = Unescape(*fields->skn);
  if (!uri || !signature || !rule) return Malformed("a '%' is not followed by two hex digits");
  Token token;
  if (!absl::Base64Unescape(*signature, &token.signature) ||
      token.signature.size() != kSignatureBytes) {
    return Malformed("sig is not base64 of 32 bytes");
  }
  const std::optional<Timestamp> expires_at = TimeOfSeconds(*fields->se);
  if (!expires_at) return Malformed("se is not a number of seconds");
  token.signed_text = fmt::format("{}\n{}", *fields->sr, *fields->se);
  token.resource = ResourceOfUri(*uri);
  token.expires_at = *expires_at;
  token.rule = FoldRuleName(*rule);
  return token;
}

std::string ClaimedRule(std::string_view text) {
  if (text.size() > kTokenBytesMax) return {};
  constexpr std::string_view kName = "skn=";
  for (const std::string_view part : Split(text, '&')) {
    // The first field stands behind the scheme.
    const std::string_view field = part.substr(part.rfind(' ') + 1);
    if (!field.starts_with(kName)) continue;
    const std::string_view value = field.substr(kName.size());
    return Unescape(value).value_or(std::string(value)).substr(0, kAccessRuleNameMax);
  }
  return {};
}

bool IsSignedWith(const Token& token, std::string_view key) {
  const std::string made = Sign(token.signed_text, key);
  return made.size() == token.signature.size() &&
         CRYPTO_memcmp(made.data(), token.signature.data(), made.size()) == 0;
}

std::string MakeToken(std::string_view uri, std::string_view rule, std::string_view key,
                      Timestamp expires_at) {
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(expires_at.time_since_epoch()).count();
  const std::string resource = Escape(uri);
  const std::string signature =
      absl::Base64Escape(Sign(fmt::format("{}\n{}", resource, seconds), key));
  return fmt::format("{} sr={}&sig={}&se={}&skn={}", kScheme, resource, Escape(signature), seconds,
                     Escape(rule));
}

}  // namespace wharf::access
