// `wharf scheduled`: list, cancel, move and activate messages that wait for their time.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddScheduledCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
