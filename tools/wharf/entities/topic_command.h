// `wharf topic`: create, update, show, list and delete topics.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddTopicCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
