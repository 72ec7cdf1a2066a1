#include "broker/access/token_issuer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "broker/access/ascii_text.h"
#include "broker/access/client_rules.h"
#include "broker/access/web_signature.h"

namespace wharf::access {
namespace {

using nlohmann::json;

// Of objects and arrays in each other; what we read is one deep.
constexpr std::size_t kDepthMax = 8;
// Of what may name a client.
constexpr std::size_t kClientBytesMax = 1000;
constexpr std::size_t kKeysMax = 100;

constexpr std::pair<std::string_view, TokenAlgorithm> kAlgorithms[] = {
    {"RS256", TokenAlgorithm::kRs256},
    {"ES256", TokenAlgorithm::kEs256},
    {"HS256", TokenAlgorithm::kHs256}};

std::optional<TokenAlgorithm> AlgorithmOf(std::string_view name) {
  for (const auto& [known, algorithm] : kAlgorithms) {
    if (known == name) return algorithm;
  }
  return std::nullopt;
}

std::string_view NameOf(TokenAlgorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)].first;
}

Status NoIssuer(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

Status Refused(std::string_view why) {
  return {ErrorCode::kUnauthorized, fmt::format("the JSON web token is not valid: {}", why)};
}

// Without '=' at its end, and with nothing else in it.
std::optional<std::string> DecodePart(std::string_view part) {
  const bool is_text = std::all_of(
      part.begin(), part.end(), [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '_'; });
  std::string plain;
  if (!is_text || part.empty()) return std::nullopt;
  const bool is_base64 =
      absl::WebSafeBase64Unescape(absl::string_view(part.data(), part.size()), &plain);
  return is_base64 ? std::optional(std::move(plain)) : std::nullopt;
}

// Looks at what is parsed while it is: a name that stands twice would be read differently by
// others, and nobody needs depth.
class Watch {
 public:
  bool operator()(int /*depth*/, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (is_bad_) return false;
    if (event == Event::object_start || event == Event::array_start) {
      names_.emplace_back();
      is_bad_ = names_.size() > kDepthMax;
    } else if (event == Event::object_end || event == Event::array_end) {
      names_.pop_back();
    } else if (event == Event::key) {
      is_bad_ = !names_.back().insert(parsed.get<std::string>()).second;
    }
    return !is_bad_;
  }

  bool is_bad() const { return is_bad_; }

 private:
  std::vector<std::set<std::string>> names_;
  bool is_bad_ = false;
};

std::optional<json> DecodeObject(std::string_view part) {
  const std::optional<std::string> text = DecodePart(part);
  // The parser takes a zero for the end, and others do not.
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  Watch watch;
  json object = json::parse(
      *text,
      [&watch](int depth, json::parse_event_t event, json& parsed) {
        return watch(depth, event, parsed);
      },
      /*allow_exceptions=*/false);
  if (watch.is_bad() || !object.is_object()) return std::nullopt;
  return object;
}

// Empty: there is no text of that name.
std::string TextIn(const json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Seconds since 1970; later than anybody counts is never. Nothing: it is not there, or no number.
std::optional<Timestamp> TimeIn(const json& claims, const char* name) {
  const auto found = claims.find(name);
  if (found == claims.end() || !found->is_number()) return std::nullopt;
  const auto seconds = found->get<double>();
  constexpr double kSecondsMax = 1e11;
  if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
  if (seconds > kSecondsMax) return kNever;
  return Timestamp(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

// One text, or one of several.
bool IsFor(const json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  if (found->is_string()) return *found == audience;
  return found->is_array() && std::find(found->begin(), found->end(), audience) != found->end();
}

struct Parts {
  std::string_view header;
  std::string_view claims;
  std::string_view signature;
  // The first two, as they were sent.
  std::string_view signed_text;
};

Timestamp WithLeeway(Timestamp time) { return time == kNever ? kNever : time + kWebTokenLeeway; }

// What is signed is still believed only in its time, from the issuer and for us.
Status CheckTerms(const json& claims, const TokenIssuer::Terms& terms, Timestamp now) {
  const std::optional<Timestamp> expires_at = TimeIn(claims, "exp");
  if (!expires_at) return Refused("it has no exp");
  if (WithLeeway(*expires_at) <= now) return Refused("it has expired");
  const std::optional<Timestamp> begins_at = TimeIn(claims, "nbf");
  if (claims.contains("nbf") && !begins_at) return Refused("its nbf is no time");
  if (begins_at && *begins_at > now + kWebTokenLeeway) return Refused("its time has not come");
  if (TextIn(claims, "iss") != terms.issuer) return Refused("it is of another issuer");
  if (!IsFor(claims, terms.audience)) return Refused("it is for another audience");
  return {};
}

// What was proven by a key under other terms is not what it proves now.
KeyPrint VoucherOf(const TokenIssuer::Terms& terms, const std::string& key) {
  std::string all;
  for (const std::string* each : {&terms.issuer, &terms.audience, &terms.claim, &key}) {
    all += fmt::format("{}:{}", each->size(), *each);
  }
  return PrintOf(all);
}

std::optional<Parts> PartsOf(std::string_view token) {
  const std::vector<std::string_view> parts = Split(token, '.');
  if (parts.size() != 3) return std::nullopt;
  return Parts{parts[0], parts[1], parts[2], token.substr(0, token.size() - parts[2].size() - 1)};
}

}  // namespace

Result<TokenKeyPlace> TokenKeyPlace::Parse(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos || second + 1 == text.size()) {
    return NoIssuer("a key is ID:ALGORITHM:FILE");
  }
  const auto algorithm = AlgorithmOf(text.substr(first + 1, second - first - 1));
  if (!algorithm) return NoIssuer("the algorithm is RS256, ES256 or HS256");
  return TokenKeyPlace{std::string(text.substr(0, first)), *algorithm,
                       std::string(text.substr(second + 1))};
}

struct TokenIssuer::KnownKey {
  std::string id;
  WebSignatureKey key;
  KeyPrint voucher{};
};

TokenIssuer::TokenIssuer(Terms terms, std::vector<KnownKey> keys)
    : terms_(std::move(terms)), keys_(std::move(keys)) {}

TokenIssuer::~TokenIssuer() = default;

Result<TokenIssuerPtr> TokenIssuer::Make(Terms terms, const std::vector<Key>& keys) {
  if (keys.size() > kKeysMax) return NoIssuer("there are at most 100 keys of JSON web tokens");
  std::vector<KnownKey> known;
  for (const Key& each : keys) {
    const auto is_same = [&each](const KnownKey& other) { return other.id == each.id; };
    if (std::any_of(known.begin(), known.end(), is_same)) {
      return NoIssuer(fmt::format("two keys have the id '{}'", absl::CHexEscape(each.id)));
    }
    Result<WebSignatureKey> key = WebSignatureKey::Read(each.algorithm, each.content);
    if (!key.ok()) {
      return NoIssuer(fmt::format("the key with the id '{}': {}", absl::CHexEscape(each.id),
                                  key.status().message()));
    }
    known.push_back({each.id, *std::move(key), VoucherOf(terms, each.content)});
  }
  return TokenIssuerPtr(new TokenIssuer(std::move(terms), std::move(known)));
}

// A shared access signature may have as many points, but has blanks, too.
bool TokenIssuer::IsWebToken(std::string_view text) {
  return text.find_first_of(" =&") == std::string_view::npos && PartsOf(text).has_value();
}

const TokenIssuer::KnownKey* TokenIssuer::Find(std::string_view id) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [id](const KnownKey& key) { return key.id == id; });
  return found == keys_.end() ? nullptr : &*found;
}

bool TokenIssuer::Believes(const KeyPrint& voucher) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&voucher](const KnownKey& key) { return key.voucher == voucher; });
}

// Nothing of the claims is looked at before the signature is known to be good.
Result<TokenIssuer::Statement> TokenIssuer::Read(std::string_view token, Timestamp now) const {
  if (token.size() > kWebTokenBytesMax) return Refused("it has more than 16 KiB");
  const std::optional<Parts> parts = PartsOf(token);
  const std::optional<json> header = parts ? DecodeObject(parts->header) : std::nullopt;
  if (!header) return Refused("its header is no base64url of an object of JSON");
  if (header->contains("crit")) return Refused("it has critical headers, of which none is known");
  const auto kid = header->find("kid");
  if (kid != header->end() && !kid->is_string()) return Refused("its kid is no text");
  const KnownKey* const known = Find(TextIn(*header, "kid"));
  if (known == nullptr) return Refused("there is no key of its kid");
  if (TextIn(*header, "alg") != NameOf(known->key.algorithm())) {
    return Refused("its algorithm is not the one of its key");
  }
  const std::optional<std::string> signature = DecodePart(parts->signature);
  if (!signature || !known->key.HasSigned(parts->signed_text, *signature)) {
    return Refused("its signature is wrong");
  }
  const std::optional<json> claims = DecodeObject(parts->claims);
  if (!claims) return Refused("its claims are no base64url of an object of JSON");
  WHARF_RETURN_IF_ERROR(CheckTerms(*claims, terms_, now));
  const std::string client = TextIn(*claims, terms_.claim);
  const bool is_named = !client.empty() && client.size() <= kClientBytesMax;
  if (!is_named) return Refused("it has no text in the claim that names the client");
  return Statement{.client = NameOfClaim(client),
                   .voucher = known->voucher,
                   .until = WithLeeway(*TimeIn(*claims, "exp"))};
}

}  // namespace wharf::access
