#include "broker/doors/http/servicebus/data_route.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>

namespace wharf {
namespace {

constexpr std::string_view kMessages = "messages";

bool IsSame(std::string_view one, std::string_view other) {
  return absl::EqualsIgnoreCase({one.data(), one.size()}, {other.data(), other.size()});
}

// The last segment of a path, which is cut off it with its '/'.
std::string_view TakeLast(std::string_view& path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  path.remove_suffix(slash == std::string_view::npos ? path.size() : path.size() - slash);
  return last;
}

// The words of paths of subscriptions and rules, which no segment of a name is.
bool IsBetweenNames(std::string_view segment) {
  return IsSame(segment, "Subscriptions") || IsSame(segment, "Rules");
}

// Not if it ends in such a word: what follows is the name of a subscription.
bool MayHaveMessages(std::string_view entity) { return !IsBetweenNames(TakeLast(entity)); }

std::optional<DataVerb> VerbOfHead(std::string_view method) {
  if (method == "POST") return DataVerb::kPeekLock;
  if (method == "DELETE") return DataVerb::kReceiveAndDelete;
  return std::nullopt;
}

std::optional<DataVerb> VerbOfLock(std::string_view method) {
  if (method == "DELETE") return DataVerb::kComplete;
  if (method == "PUT") return DataVerb::kUnlock;
  if (method == "POST") return DataVerb::kRenew;
  return std::nullopt;
}

// The order of bytes in a GUID's text; the same back.
std::string Reordered(std::string bytes) {
  std::reverse(bytes.begin(), bytes.begin() + 4);
  std::reverse(bytes.begin() + 4, bytes.begin() + 6);
  std::reverse(bytes.begin() + 6, bytes.begin() + 8);
  return bytes;
}

}  // namespace

std::string_view NameOf(DataVerb verb) {
  switch (verb) {
    case DataVerb::kSend:
      return "send";
    case DataVerb::kPeekLock:
      return "peek-lock";
    case DataVerb::kReceiveAndDelete:
      return "receive-and-delete";
    case DataVerb::kComplete:
      return "complete";
    case DataVerb::kUnlock:
      return "unlock";
    case DataVerb::kRenew:
      return "renew";
  }
  return "";
}

std::optional<DataRoute> DataRouteOf(std::string_view method, std::string_view path) {
  std::string_view rest = path;
  const std::string_view last = TakeLast(rest);
  if (IsSame(last, kMessages) && method == "POST") {
    return DataRoute{.verb = DataVerb::kSend, .entity = std::string(rest)};
  }
  std::string_view entity = rest;
  if (IsSame(last, "head") && IsSame(TakeLast(entity), kMessages)) {
    const auto verb = VerbOfHead(method);
    if (verb) return DataRoute{.verb = *verb, .entity = std::string(entity)};
  }
  const auto verb = VerbOfLock(method);
  if (!verb) return std::nullopt;
  entity = rest;
  const std::string_view id = TakeLast(entity);
  if (!IsSame(TakeLast(entity), kMessages) || !MayHaveMessages(entity)) return std::nullopt;
  const auto token = LockTokenFrom(last);
  if (token) return DataRoute{.verb = *verb, .entity = std::string(entity), .token = *token};
  if (entity.empty() || IsBetweenNames(id)) return std::nullopt;
  return DataRoute{.verb = *verb, .entity = std::string(entity), .no_token = std::string(last)};
}

std::string TextOf(const LockToken& token) {
  const std::string digits = absl::BytesToHexString(Reordered(token.ToBytes()));
  return digits.substr(0, 8) + '-' + digits.substr(8, 4) + '-' + digits.substr(12, 4) + '-' +
         digits.substr(16, 4) + '-' + digits.substr(20);
}

std::optional<LockToken> LockTokenFrom(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '-');
  const bool is_hex = std::all_of(digits.begin(), digits.end(),
                                  [](unsigned char c) { return absl::ascii_isxdigit(c); });
  if (digits.size() != 2 * LockToken::kSize || !is_hex) return std::nullopt;
  return LockToken::FromBytes(Reordered(absl::HexStringToBytes(digits)));
}

}  // namespace wharf
