// `wharf delete-messages`: delete the oldest messages of a queue.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddDeleteMessagesCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
