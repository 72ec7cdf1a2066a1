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

bool AccessRule::HadKey(const KeyPrint& print) const {
  return std::find(replaced_keys_.begin(), replaced_keys_.end(), print) != replaced_keys_.end();
}

AccessRule AccessRule::WithKey(KeySlot slot, std::string key) const {
  return slot == KeySlot::kPrimary ? WithKeys(std::move(key), keys_[1])
                                   : WithKeys(keys_[0], std::move(key));
}

// What does not fit is not missed: from then on no key is taken that somebody could have kept.
AccessRule AccessRule::WithKeys(std::string primary, std::string secondary) const {
  AccessRule changed(name_, rights_, std::move(primary), std::move(secondary), created_at_);
  changed.replaced_keys_ = replaced_keys_;
  for (const KeyPrint& print : prints_) {
    const bool is_forgotten = changed.HasKey(print) || !changed.takes_given_keys();
    if (!is_forgotten) changed.replaced_keys_.push_back(print);
  }
  return changed;
}

AccessRule AccessRule::WithRights(Rights rights) const {
  AccessRule changed = *this;
  changed.rights_ = rights;
  return changed;
}

AccessRule AccessRule::Remembering(std::vector<KeyPrint> replaced_keys) const {
  AccessRule changed = *this;
  changed.replaced_keys_ = std::move(replaced_keys);
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
