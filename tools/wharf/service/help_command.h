// `wharf help`, `wharf completion`, `wharf man`: what the command line tells of itself. None needs
// a broker.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

// After all other commands, of which they tell.
void AddHelpCommands(CLI::App& app, Program& program);

// Of the command that was chosen, as wide as the output.
std::string HelpOfChosen(const CLI::App& app, const Output& out);

}  // namespace wharf::tool
