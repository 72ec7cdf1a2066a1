// `wharf purge`: drop everything in a queue at once.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddPurgeCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
