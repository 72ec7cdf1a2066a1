// `wharf rule test`: whether rules would take a message, and why.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddRuleTestCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
