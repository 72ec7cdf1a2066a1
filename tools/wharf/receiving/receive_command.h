// `wharf receive`: get messages from a queue and settle them.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddReceiveCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
