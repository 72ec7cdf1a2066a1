// `wharf stats`: what the broker has done since it started.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddStatsCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
