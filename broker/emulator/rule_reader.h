// Rules of subscriptions as a Config.json has them. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "broker/emulator/findings.h"
#include "broker/emulator/json_node.h"
#include "broker/emulator/wanted.h"

namespace wharf::emulator {

// Nothing: it is wrong, which is a finding. What it says in SQL is of the language.
std::optional<WantedRule> ReadRule(const JsonNode& node, const std::string& path,
                                   Findings& findings);

}  // namespace wharf::emulator
