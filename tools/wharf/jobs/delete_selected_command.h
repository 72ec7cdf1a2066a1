// `wharf delete-selected`: a job that deletes selected messages.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddDeleteSelectedCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
