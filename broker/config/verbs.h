// Verbs: what `wharfd config` does, and how wharfd says that its configuration is none. Used by
// main.cc; writes to stdout and stderr.
#pragma once

#include "broker/config/command_line.h"
#include "broker/config/configuration.h"

namespace wharf::config {

// Tells all that is wrong; answers the exit code of bad usage.
int Refuse(const Complaints& complaints);

// Does what the verb says (one of config's), and answers the exit code. `variables` as for
// EntriesOfEnvironment.
int RunVerb(CommandLine::Verb verb, const Reading& reading, const char* const* variables);

}  // namespace wharf::config
