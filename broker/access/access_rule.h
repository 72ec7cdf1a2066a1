// AccessRule: who knows one of its keys may do what its rights say, on what it belongs to and below
// (SEC-2). A plain value with secrets in it: nothing prints it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/access/access_key.h"
#include "broker/access/rights.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::access {

// Of one namespace, queue or topic (QUO-9).
inline constexpr std::size_t kRulesMax = 12;

// How many keys that were replaced a rule remembers: 16 KiB. A rule that remembers so many takes no
// key that is given any more, only those that are drawn: so that no key ever comes back.
inline constexpr std::size_t kReplacedKeysMax = 1024;

inline constexpr std::string_view kRootRuleName = "RootManageSharedAccessKey";

// Which of its keys. The values are places.
enum class KeySlot : std::uint8_t { kPrimary = 0, kSecondary = 1 };

class AccessRule {
 public:
  AccessRule() = default;
  AccessRule(std::string name, Rights rights, std::string primary, std::string secondary,
             Timestamp created_at);

  const std::string& name() const { return name_; }
  Rights rights() const { return rights_; }
  const std::string& key(KeySlot slot) const { return keys_[static_cast<std::size_t>(slot)]; }
  const KeyPrint& print(KeySlot slot) const { return prints_[static_cast<std::size_t>(slot)]; }
  Timestamp created_at() const { return created_at_; }

  // Whether it is one of its two keys.
  bool HasKey(const KeyPrint& print) const { return prints_[0] == print || prints_[1] == print; }
  // Whether it was, and was replaced since.
  bool HadKey(const KeyPrint& print) const;
  // The keys that were, the newest last.
  const std::vector<KeyPrint>& replaced_keys() const { return replaced_keys_; }
  bool takes_given_keys() const { return replaced_keys_.size() < kReplacedKeysMax; }

  // The same with another key there, or with these two. What it has no more it remembers.
  AccessRule WithKey(KeySlot slot, std::string key) const;
  AccessRule WithKeys(std::string primary, std::string secondary) const;
  AccessRule WithRights(Rights rights) const;
  // The same that remembers these.
  AccessRule Remembering(std::vector<KeyPrint> replaced_keys) const;

  friend bool operator==(const AccessRule&, const AccessRule&) = default;

 private:
  std::string name_;
  Rights rights_;
  std::array<std::string, 2> keys_;
  std::array<KeyPrint, 2> prints_{};
  Timestamp created_at_;
  std::vector<KeyPrint> replaced_keys_;
};

// 1 to 256 letters, digits, '.', '-' and '_', the first and the last a letter or digit.
inline constexpr std::size_t kAccessRuleNameMax = 256;
Status CheckAccessRuleName(std::string_view name);

// The form by which names of rules are compared: as all names, whatever the case of their letters.
std::string FoldRuleName(std::string_view name);

}  // namespace wharf::access
