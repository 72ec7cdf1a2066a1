// `wharf subscription`: create, update, show, list and delete subscriptions of topics.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

void AddSubscriptionCommand(CLI::App& app, Program& program);

}  // namespace wharf::tool
