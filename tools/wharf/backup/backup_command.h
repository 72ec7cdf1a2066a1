// `wharf backup`: makes backups of a broker, reads them through, lists and removes them.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddBackupCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
