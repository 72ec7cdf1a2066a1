// `wharf clock`: reads and advances the time of a broker that was started with --clock=manual.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddClockCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
