// `wharf settle`: settle locked messages by token.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddSettleCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
