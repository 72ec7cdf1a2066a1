// `wharf session state`: what the holders of a session keep for each other.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

// To `wharf session`.
void AddSessionStateCommand(CLI::App& session, Program& program);

}  // namespace wharf::tool
