// ProcessUsage: what a process has used of memory and disk so far, as /proc tells.
#pragma once

#include <cstdint>

#include "storage/base/status.h"

namespace wharf::tool {

struct ProcessUsage {
  std::uint64_t peak_memory_kib = 0;  // VmHWM
  std::uint64_t written_bytes = 0;    // write_bytes: what reached the block layer
};

Result<ProcessUsage> ReadProcessUsage(int pid);

}  // namespace wharf::tool
