// `wharf top`: what the broker and its entities do, now, on a screen that changes.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddTopCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
