// `wharf rule`: add, remove, show, list and try the rules of a subscription.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddRuleCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
