// `wharf queue`: create, update, show, list and delete queues.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddQueueCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
