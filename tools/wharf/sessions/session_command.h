// `wharf session`: accept, keep, release and look at sessions.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddSessionCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
