// `wharf messages`: export the messages of an entity, and import them into one.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddMessagesCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
