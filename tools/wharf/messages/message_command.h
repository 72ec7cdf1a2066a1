// `wharf message`: settle or export one message by its number, without a lock.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddMessageCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
