// `wharf message export`: save what is left of a message in quarantine.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

// Below `wharf message`.
void AddExportCommand(CLI::App& noun, Program& program);

}  // namespace wharf::tool
