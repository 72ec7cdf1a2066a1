// `wharf cluster certificate`: with what the nodes of a cluster prove to each other who they are.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

// Below the noun `cluster`.
void AddCertificateCommand(CLI::App& noun, Program& program);

}  // namespace wharf::tool
