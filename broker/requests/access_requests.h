// What is asked about rules of access. `path` is the name of a queue or topic; empty: the
// namespace.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "broker/access/access_rule.h"

namespace wharf {

// A rule as management shows it.
struct AccessRuleInfo {
  struct Keys {
    std::string primary;
    std::string secondary;
  };
  // That of the entity, as it is written there; empty: the namespace.
  std::string path{};
  std::string name{};
  access::Rights rights{};
  Timestamp created_at{};
  // Only if they were asked for.
  std::optional<Keys> keys{};
};

// A rule as it comes with the description of its entity (EPR-19). A key that is empty is drawn.
struct GivenAccessRule {
  std::string name{};
  access::Rights rights{};
  std::string primary_key{};
  std::string secondary_key{};
};

// A key that is empty is drawn.
struct CreateAccessRuleRequest {
  using Response = AccessRuleInfo;
  std::string path{};
  std::string name{};
  access::Rights rights{};
  std::string primary_key{};
  std::string secondary_key{};
  bool shows_keys = false;
};

struct GetAccessRuleRequest {
  using Response = AccessRuleInfo;
  std::string path{};
  std::string name{};
  bool shows_keys = false;
};

// All of one entity, or of the namespace, in the order of their names: few (QUO-9).
struct ListAccessRulesRequest {
  using Response = std::vector<AccessRuleInfo>;
  std::string path{};
};

// One of its keys is another one from now on: what the one before signed is worth nothing any more
// (SEC-7). A key that is empty is drawn.
struct RotateAccessKeyRequest {
  using Response = AccessRuleInfo;
  std::string path{};
  std::string name{};
  access::KeySlot slot = access::KeySlot::kPrimary;
  std::string key{};
  bool shows_keys = false;
};

// Says of a rule, without its keys, as it is when its turn comes, why it is not to be removed.
// Called once, on a thread of the broker.
using AccessRuleCheck = absl::AnyInvocable<Status(const AccessRuleInfo& current) &&>;

struct RemoveAccessRuleRequest {
  using Response = std::monostate;
  std::string path{};
  std::string name{};
  // Null: in any case.
  AccessRuleCheck check{};
};

}  // namespace wharf
