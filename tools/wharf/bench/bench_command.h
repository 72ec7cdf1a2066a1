// `wharf bench`: measure the broker.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddBenchCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
