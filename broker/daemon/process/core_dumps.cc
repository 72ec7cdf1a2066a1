#include "broker/daemon/process/core_dumps.h"

#include <cerrno>
#include <cstring>

#include <spdlog/spdlog.h>
#include <sys/prctl.h>

namespace wharf {

void KeepOutOfCores() {
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) return;
  spdlog::warn("keys may be in core dumps: {}", std::strerror(errno));
}

}  // namespace wharf
