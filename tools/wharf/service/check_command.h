// `wharf check`: whether an entity's counters are those that its messages imply; and mends it.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddCheckCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
