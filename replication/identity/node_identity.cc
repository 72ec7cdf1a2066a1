#include "replication/identity/node_identity.h"

#include <algorithm>
#include <cstring>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::size_t kNameCharactersMax = 63;

bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool IsLetterOrDigit(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c)) ||
         absl::ascii_isdigit(static_cast<unsigned char>(c));
}

bool IsNameCharacter(char c) { return IsLetterOrDigit(c) || c == '-' || c == '.'; }

}  // namespace

std::optional<ClusterId> ClusterId::FromBytes(std::string_view bytes) {
  ClusterId id;
  if (bytes.size() != kSize) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), id.bytes_.begin());
  if (id.is_zero()) return std::nullopt;
  return id;
}

std::optional<ClusterId> ClusterId::FromText(std::string_view text) {
  if (text.size() != 2 * kSize || !std::all_of(text.begin(), text.end(), IsLowerHex)) {
    return std::nullopt;
  }
  return FromBytes(absl::HexStringToBytes(absl::string_view(text.data(), text.size())));
}

std::string ClusterId::ToText() const {
  return absl::BytesToHexString(absl::string_view(bytes_.data(), bytes_.size()));
}

ClusterId DrawClusterId(Random& random) {
  while (true) {
    const std::array<std::uint64_t, 2> halves = {random.Next(), random.Next()};
    std::string bytes(ClusterId::kSize, '\0');
    std::memcpy(bytes.data(), halves.data(), bytes.size());
    if (const auto id = ClusterId::FromBytes(bytes)) return *id;
  }
}

NodeId DrawNodeId(Random& random) {
  while (true) {
    if (const NodeId id(random.Next()); id != NodeId()) return id;
  }
}

std::string NodeIdentity::ToText() const {
  return fmt::format("node {} (id {}) of cluster {}", name, node.value(), cluster.ToText());
}

Status CheckNodeName(std::string_view name) {
  const bool is_name = !name.empty() && name.size() <= kNameCharactersMax &&
                       IsLetterOrDigit(name.front()) &&
                       std::all_of(name.begin(), name.end(), IsNameCharacter);
  if (is_name) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("\"{}\" is no name for a node; take 1 to 63 of a-z, 0-9, - and ., the first "
                      "a letter or a digit, for example n1",
                      absl::CHexEscape(
                          absl::string_view(name.data(), std::min<std::size_t>(name.size(), 64))))};
}

}  // namespace wharf
