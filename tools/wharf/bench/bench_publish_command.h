// `wharf bench publish`: measure topics.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddBenchPublishCommand(CLI::App& noun, Program& program);

}  // namespace wharf::tool
