// `wharf redrive`: a job that sends dead letters back.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddRedriveCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
