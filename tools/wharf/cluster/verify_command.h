// `wharf cluster verify`: whether all nodes hold the same.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

// Below the noun `cluster`.
void AddVerifyCommand(CLI::App& noun, Program& program);

}  // namespace wharf::tool
