// `wharf job`: list, show, cancel and await work that goes on over many steps.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddJobCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
