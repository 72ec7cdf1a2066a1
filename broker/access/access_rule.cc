#include "broker/access/access_rule.h"

#include <algorithm>
#include <utility>

#include "broker/access/ascii_text.h"

namespace wharf::access {
namespace {

bool IsRuleNameCharacter(char c) { return IsLetterOrDigit(c) || c == '.' || c == '-' || c == '_'; }

}  // namespace

AccessRule::AccessRule(std::string name, Rights rights, std::string primary, std::string secondary,
                       Timestamp created_at)
    : name_(std::move(name)),
      rights_(rights),
      keys_{std::move(primary), std::move(secondary)},
      prints_{PrintOf(keys_[0]), PrintOf(keys_[1])},
      created_at_(created_at) {}

AccessRule AccessRule::WithKey(KeySlot slot, std::string key) const {
  AccessRule changed = *this;
  const auto place = static_cast<std::size_t>(slot);
  changed.keys_[place] = std::move(key);
  changed.prints_[place] = PrintOf(changed.keys_[place]);
  return changed;
}

Status CheckAccessRuleName(std::string_view name) {
  const bool is_name = !name.empty() && name.size() <= kAccessRuleNameMax &&
                       std::all_of(name.begin(), name.end(), IsRuleNameCharacter) &&
                       IsLetterOrDigit(name.front()) && IsLetterOrDigit(name.back());
  if (is_name) return {};
  return {
      ErrorCode::kArgumentError,
      "the name of an access rule has 1 to 256 letters, digits, '.', '-' and '_', and begins and "
      "ends with a letter or digit"};
}

std::string FoldRuleName(std::string_view name) { return ToLowerCase(name); }

}  // namespace wharf::access
