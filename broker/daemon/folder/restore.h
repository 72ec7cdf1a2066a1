// Restore: what `wharfd restore` does: makes a new data folder of a backup. Used by main.cc on the
// main thread; writes to stdout and stderr.
#pragma once

#include "broker/config/restore_request.h"

namespace wharf {

// The exit code.
int RunRestore(const RestoreRequest& request);

}  // namespace wharf
