// `wharf renew`: renew locks by token.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddRenewCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
