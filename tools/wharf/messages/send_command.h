// `wharf send`: put messages into a queue.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddSendCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
