#include "broker/access/given_keys.h"

#include <tuple>
#include <utility>

#include <fmt/core.h>

namespace wharf::access {
namespace {

Status CheckRoom(const AccessRule& rule) {
  if (rule.takes_given_keys()) return {};
  return {ErrorCode::kQuotaExceeded,
          fmt::format("{} keys of the access rule '{}' were replaced, as many as it remembers, and "
                      "it takes no key that is given any more: rotate it without one, or remove it "
                      "and make it anew",
                      kReplacedKeysMax, rule.name())};
}

}  // namespace

Status CheckTakes(const AccessRule& rule, std::string_view key) {
  const KeyPrint print = PrintOf(key);
  if (rule.HasKey(print)) {
    return {ErrorCode::kArgumentError, "the access rule has this key already"};
  }
  if (rule.HadKey(print)) {
    return {ErrorCode::kArgumentError,
            "this key of the access rule was replaced, and is not taken back: choose another, or "
            "leave it out and one is drawn"};
  }
  return CheckRoom(rule);
}

Result<DescribedKeys> TakeDescribed(const AccessRule& rule, std::string primary,
                                    std::string secondary) {
  const std::string& now_primary = rule.key(KeySlot::kPrimary);
  const std::string& now_secondary = rule.key(KeySlot::kSecondary);
  if (primary.empty()) primary = now_primary;
  if (secondary.empty()) secondary = now_secondary;
  if (primary == secondary) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("the two keys of the access rule '{}' must differ, and it has this "
                              "one in the other place already",
                              rule.name()));
  }
  DescribedKeys taken;
  for (auto [key, now, keeps] : {std::tuple(&primary, &now_primary, &taken.keeps_primary),
                                 std::tuple(&secondary, &now_secondary, &taken.keeps_secondary)}) {
    const KeyPrint print = PrintOf(*key);
    if (rule.HadKey(print)) {
      *keeps = true;
      *key = *now;
    } else if (!rule.HasKey(print)) {
      WHARF_RETURN_IF_ERROR(CheckRoom(rule));
    }
  }
  if (primary == secondary) {
    taken.keeps_primary = taken.keeps_secondary = true;
    primary = now_primary;
    secondary = now_secondary;
  }
  taken.rule = rule.WithKeys(std::move(primary), std::move(secondary));
  return taken;
}

}  // namespace wharf::access
