// `wharf locks`: who holds which messages, until when. Used on the main thread.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddLocksCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
