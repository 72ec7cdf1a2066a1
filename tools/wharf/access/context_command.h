// `wharf context`: connection strings with names.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddContextCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
