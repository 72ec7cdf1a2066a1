// `wharf disk`: where the bytes are, on the disk and in memory, and which bounds are near.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddDiskCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
