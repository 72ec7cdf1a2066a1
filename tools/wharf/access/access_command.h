// `wharf access`: who may do what; `wharf connection-string`: what to give to a client.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddAccessCommand(CLI::App& app, Program& program);
void AddConnectionStringCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
