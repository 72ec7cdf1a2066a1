// `wharf peek`: look at messages without locking them.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddPeekCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
