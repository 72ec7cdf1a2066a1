#include "broker/daemon/process/descriptors.h"

#include <algorithm>

#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

namespace wharf {
namespace {

// An idle broker has some 25 to 45 open, one under load some 150 and one for each connection.
constexpr std::uint64_t kNeeded = 48;
constexpr std::uint64_t kGood = 1024;
constexpr std::uint64_t kForFilesMax = 1024;

}  // namespace

Result<std::uint64_t> RaiseDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::uint64_t count = limit.rlim_cur;
  if (count < kNeeded) {
    return Status(
        ErrorCode::kGeneralError,
        fmt::format("{} descriptors are too few, wharfd needs at least {} and should have "
                    "{}; ulimit -n or LimitNOFILE raises the limit",
                    count, kNeeded, kGood));
  }
  if (count < kGood) {
    spdlog::warn(
        "only {} descriptors: few clients can connect, and a store with much data needs more; "
        "ulimit -n or LimitNOFILE raises the limit",
        count);
  }
  return count - std::min(count / 4, kForFilesMax);
}

}  // namespace wharf
