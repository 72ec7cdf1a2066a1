// TopSample: what a broker said of itself and of its entities at one moment. Values, and the calls
// that bring them; used by `wharf top`, on any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <wharf/v1/management.pb.h>

#include "storage/base/status.h"
#include "tools/client/management.h"

namespace wharf::tool {

struct EntitySample {
  std::string path{};
  std::int64_t available = 0;
  std::int64_t locked = 0;
  std::int64_t delayed = 0;
  std::int64_t deferred = 0;
  std::int64_t scheduled = 0;
  std::int64_t quarantined = 0;
  std::int64_t dead = 0;
  std::int64_t bytes = 0;
  // That came since it was made.
  std::int64_t numbered = 0;
  // Of the oldest that is available, in seconds; if it is known.
  std::optional<double> age{};

  std::int64_t messages() const {
    return available + locked + delayed + deferred + scheduled + quarantined + dead;
  }
};

struct TopSample {
  // More are not kept; the largest broker that is likely has a tenth.
  static constexpr std::size_t kEntitiesMax = 100'000;

  std::chrono::steady_clock::time_point taken{};
  v1::BrokerStatistics broker{};
  // In the order of their paths.
  std::vector<EntitySample> entities{};
};

// Of one entity; the first of them.
struct LocksSample {
  static constexpr std::uint32_t kLocksMax = 1000;

  std::string path{};
  std::vector<v1::LockProperties> locks{};
  bool has_more = false;
  // Why there is none.
  Status status{};
};

// `is_ended`: looked at between two calls; then what was brought means nothing.
Result<TopSample> ReadSample(client::Management& management, const std::atomic<bool>& is_ended);
LocksSample ReadLocks(client::Management& management, const std::string& path);

}  // namespace wharf::tool
