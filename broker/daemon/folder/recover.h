// Recover: what `wharfd recover` does: makes a cluster of its own of a node that is left. Used by
// main.cc on the main thread; writes to stdout and stderr.
#pragma once

#include "broker/config/settings.h"

namespace wharf {

// Without `accepts_loss` it says only how far the log of the node goes. The exit code.
int RunRecover(const config::Settings& settings, bool accepts_loss);

}  // namespace wharf
