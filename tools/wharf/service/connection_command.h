// `wharf connection`: lists and closes connections over AMQP 1.0.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddConnectionCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
