// Restore: what `wharfd restore` does: makes a new data folder of a backup. Used by main.cc on the
// main thread; writes to stdout and stderr.
#pragma once

#include <string>

namespace wharf {

struct RestoreRequest {
  std::string backup{};
  std::string data{};
  // Every key of access is replaced, and said.
  bool makes_new_keys = false;
};

// The exit code.
int RunRestore(const RestoreRequest& request);

}  // namespace wharf
