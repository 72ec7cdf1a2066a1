// `wharf definitions export|diff|apply`: the entities of a broker as a file.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddDefinitionsCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
