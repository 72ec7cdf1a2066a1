// `wharf cluster recover`: of a node that is stopped, a cluster of its own. It asks nobody: the
// daemon's program does it to a folder of this machine (`wharfd recover`).
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

// Below the noun `cluster`.
void AddRecoverCommand(CLI::App& noun, Program& program);

}  // namespace wharf::tool
