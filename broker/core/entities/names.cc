#include "broker/core/entities/names.h"

#include <algorithm>

#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "broker/core/entities/rule.h"
#include "broker/core/messages/text.h"

namespace wharf {
namespace {

constexpr std::size_t kNameCharactersMax = 260;
// A topic, its subscription and the dead-letter queue of that.
constexpr std::size_t kQuotedBytesMax = 360;
// Of subscriptions and rules.
constexpr std::size_t kPartNameCharactersMax = 50;

Status BadName(std::string_view name, std::string_view why) {
  return {ErrorCode::kArgumentError,
          fmt::format("{} cannot name an entity: {}", Quoted(name), why)};
}

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' ||
         c == '/';
}

// NAM-2, NAM-3.
Status CheckPartName(std::string_view name) {
  if (name.empty()) return BadName(name, "it is empty");
  if (name.size() > kPartNameCharactersMax) {
    return BadName(name, fmt::format("it is longer than {} characters", kPartNameCharactersMax));
  }
  const auto is_allowed = [](char c) { return c != '/' && IsNameCharacter(c); };
  if (!std::all_of(name.begin(), name.end(), is_allowed)) {
    return BadName(name, "only letters, digits, '.', '-' and '_' are allowed");
  }
  if (!absl::ascii_isalnum(static_cast<unsigned char>(name.front())) ||
      !absl::ascii_isalnum(static_cast<unsigned char>(name.back()))) {
    return BadName(name, "it must begin and end with a letter or digit");
  }
  return {};
}

// A subscription of JMS has its client id and its kind behind its name (JMS-1): `NAME$CLIENT$D` or
// `NAME$CLIENT$ND`, where the client id may be empty.
Status CheckSubscriptionName(std::string_view name) {
  const std::size_t first = name.find('$');
  const std::size_t last = name.rfind('$');
  const std::string_view kind = name.substr(std::min(last, name.size()));
  if (first == last || (kind != "$D" && kind != "$ND")) return CheckPartName(name);
  if (name.size() > kPartNameCharactersMax) {
    return BadName(name, fmt::format("it is longer than {} characters", kPartNameCharactersMax));
  }
  if (CheckPartName(name.substr(0, first)).ok()) {
    const std::string_view client = name.substr(first + 1, last - first - 1);
    if (client.empty() || CheckPartName(client).ok()) return {};
  }
  return BadName(name, "it is not NAME$CLIENT$D or NAME$CLIENT$ND");
}

std::string WithForwardSlashes(std::string_view path) {
  std::string result(path);
  std::replace(result.begin(), result.end(), '\\', '/');
  return result;
}

std::string ToLower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = absl::ascii_tolower(static_cast<unsigned char>(c));
  return result;
}

// `sb://host/path` and its like: the path alone (ADR-11).
std::string_view WithoutHost(std::string_view path) {
  for (const std::string_view scheme : {"sb://", "amqps://", "amqp://", "https://"}) {
    if (!ToLower(path).starts_with(scheme)) continue;
    const std::size_t slash = path.find('/', scheme.size());
    return slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return path;
}

}  // namespace

std::string Quoted(std::string_view path) {
  return fmt::format("'{}'", Shortened(path, kQuotedBytesMax));
}

std::string FoldPath(std::string_view path) { return ToLower(WithForwardSlashes(path)); }

Result<std::string> CheckEntityName(std::string_view name) {
  if (name.empty()) return BadName(name, "it is empty");
  if (name.size() > kNameCharactersMax) {
    return BadName(name, fmt::format("it is longer than {} characters", kNameCharactersMax));
  }
  std::string result = WithForwardSlashes(name);
  if (!std::all_of(result.begin(), result.end(), IsNameCharacter)) {
    return BadName(name, "only letters, digits, '.', '-', '_' and '/' are allowed");
  }
  if (!absl::ascii_isalnum(static_cast<unsigned char>(result.front())) ||
      !absl::ascii_isalnum(static_cast<unsigned char>(result.back()))) {
    return BadName(name, "it must begin and end with a letter or digit");
  }
  if (result.find("//") != std::string::npos) {
    return BadName(name, "a segment between two '/' is empty");
  }
  if (fmt::format("/{}/", ToLower(result)).find("/subscriptions/") != std::string::npos) {
    return BadName(name, "the segment 'Subscriptions' is reserved");
  }
  return result;
}

std::string SubscriptionPath(std::string_view topic, std::string_view name) {
  return fmt::format("{}{}{}", topic, kSubscriptionsSegment, name);
}

SubscriptionName SplitSubscriptionPath(std::string_view path) {
  const std::string folded = FoldPath(path);
  const std::size_t at = folded.rfind(ToLower(kSubscriptionsSegment));
  if (at == std::string::npos) return {path, {}};
  return {path.substr(0, at), path.substr(at + kSubscriptionsSegment.size())};
}

Result<std::string> CheckSubscriptionPath(std::string_view path) {
  const SubscriptionName parts = SplitSubscriptionPath(path);
  const Result<std::string> topic = CheckEntityName(parts.topic);
  if (!topic.ok()) return topic.status();
  if (Status bad = CheckSubscriptionName(parts.name); !bad.ok()) return bad;
  return SubscriptionPath(*topic, parts.name);
}

Status CheckRuleName(std::string_view name) {
  return name == kDefaultRuleName ? Status() : CheckPartName(name);
}

Address ParseAddress(std::string_view path) {
  Address address;
  address.entity = FoldPath(WithoutHost(path));
  const std::string suffix = ToLower(kDeadLetterSuffix);
  if (address.entity.ends_with(suffix)) {
    address.entity.resize(address.entity.size() - suffix.size());
    address.lane = LaneKind::kDeadLetter;
  }
  return address;
}

}  // namespace wharf
