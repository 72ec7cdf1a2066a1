// `wharf transaction`: run, begin, commit, rollback, show.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddTransactionCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
