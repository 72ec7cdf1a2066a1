// `wharf deferred`: list messages that were set aside, and make them available again.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddDeferredCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
