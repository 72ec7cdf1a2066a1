// AccessHandler: plans what is asked of rules of access.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/entities/access_rules.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/access_requests.h"

namespace wharf {

class AccessHandler {
 public:
  explicit AccessHandler(AccessRules& rules) : rules_(rules) {}

  void Plan(Asked<CreateAccessRuleRequest> asked, Turn& turn);
  void Plan(Asked<GetAccessRuleRequest> asked, Turn& turn);
  void Plan(Asked<ListAccessRulesRequest> asked, Turn& turn);
  void Plan(Asked<RotateAccessKeyRequest> asked, Turn& turn);
  void Plan(Asked<RemoveAccessRuleRequest> asked, Turn& turn);

 private:
  AccessRules& rules_;
};

}  // namespace wharf
