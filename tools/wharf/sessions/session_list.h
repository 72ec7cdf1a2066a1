// `wharf session list` and `deepest`: the sessions of a queue as tables and JSON.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

// To `wharf session`.
void AddSessionListCommands(CLI::App& session, Program& program);

}  // namespace wharf::tool
