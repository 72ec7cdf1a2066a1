// `wharf trace`: where is my message, and what does it wait for?
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddTraceCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
