// `wharf cluster`: founds a cluster, shows it, and changes which nodes it has.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddClusterCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
