#include "broker/config/reload.h"

#include <absl/strings/escaping.h>
#include <fmt/core.h>

namespace wharf::config {
namespace {

constexpr std::size_t kShownBytesMax = 400;

// Lists may be long; no character is cut in two.
std::string Shown(const std::string& literal) {
  if (literal.size() <= kShownBytesMax) return literal;
  std::size_t end = kShownBytesMax;
  while (end > 0 && (static_cast<unsigned char>(literal[end]) & 0xC0) == 0x80) --end;
  return literal.substr(0, end) + "...";
}

}  // namespace

Reload Compare(const Settings& running, const Configuration& next) {
  Reload reload{.settings = running, .taken = {}, .waiting = {}};
  for (const Key& key : Keys()) {
    Change change{&key, LiteralOf(key, running), LiteralOf(key, next.settings), next.OriginOf(key)};
    if (change.before == change.after) continue;
    if (key.is_reloadable) Copy(key, next.settings, reload.settings);
    (key.is_reloadable ? reload.taken : reload.waiting).push_back(std::move(change));
  }
  return reload;
}

std::string ToSentence(const Change& change, bool is_taken) {
  const std::string origin = change.origin.empty() ? "default" : absl::CHexEscape(change.origin);
  return is_taken
             ? fmt::format("{} is now {}, and was {} ({})", change.key->name, Shown(change.after),
                           Shown(change.before), origin)
             : fmt::format("{} waits for a restart: it will be {}, and is {} ({})",
                           change.key->name, Shown(change.after), Shown(change.before), origin);
}

}  // namespace wharf::config
