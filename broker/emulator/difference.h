// Difference: what has to be asked of the broker so that there is what a Config.json wants.
//
// A pure function of what is wanted and what there is: where both are the same it is empty, so a
// start that ended anywhere is made good by the next one.
#pragma once

#include <variant>
#include <vector>

#include "broker/emulator/findings.h"
#include "broker/emulator/present.h"
#include "broker/emulator/wanted.h"
#include "broker/requests/entity_requests.h"
#include "broker/requests/rule_requests.h"

namespace wharf::emulator {

struct Step {
  // What it is for, if it fails.
  Where where;
  std::variant<CreateEntityRequest, UpdateEntityRequest, AddRuleRequest, UpdateRuleRequest,
               RemoveRuleRequest>
      request;

  // Else something that was there is changed.
  bool makes() const {
    return std::holds_alternative<CreateEntityRequest>(request) ||
           std::holds_alternative<AddRuleRequest>(request);
  }
};

// In the order in which they can be done: entities are made, then changed, then their rules. An
// entity that forwards to one which is made after it is made without that, and changed. What cannot
// be done is a finding, and then nothing of it is to be done.
std::vector<Step> DifferenceOf(const Wanted& wanted, const Present& present, Findings& findings);

}  // namespace wharf::emulator
