// HttpCounts: how many requests of each kind were answered by each status, since the door began.
// Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/requests/broker_statistics.h"

namespace wharf {

class HttpCounts {
 public:
  // As many kinds as any door has.
  static constexpr std::size_t kKindsMax = 16;

  void Note(std::size_t kind, unsigned status) {
    if (kind < kKindsMax && IsCounted(status)) {
      At(kind, status).fetch_add(1, std::memory_order_relaxed);
    }
  }
  std::uint64_t Read(std::size_t kind, unsigned status) const {
    return IsCounted(status) ? At(kind, status).load(std::memory_order_relaxed) : 0;
  }

  // Those that there were, of the first `kinds`, by kind and status; name(kind) is what it is
  // called.
  template <typename Name>
  std::vector<HttpStatistics::Requests> ReadAll(std::size_t kinds, Name name) const {
    std::vector<HttpStatistics::Requests> all;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (unsigned status = kFirst; status < kEnd; ++status) {
        const std::uint64_t count = Read(kind, status);
        if (count > 0) all.push_back({std::string(name(kind)), std::to_string(status), count});
      }
    }
    return all;
  }

 private:
  using Count = std::atomic<std::uint64_t>;
  static constexpr unsigned kFirst = 200;
  static constexpr unsigned kEnd = 600;
  // No door answers with 32 or more behind the first digit.
  static constexpr unsigned kOfClass = 32;

  static bool IsCounted(unsigned status) {
    return status >= kFirst && status < kEnd && status % 100 < kOfClass;
  }
  static std::size_t PlaceOf(unsigned status) {
    return (status - kFirst) / 100 * kOfClass + status % 100;
  }
  Count& At(std::size_t kind, unsigned status) { return answered_[kind][PlaceOf(status)]; }
  const Count& At(std::size_t kind, unsigned status) const {
    return answered_[kind][PlaceOf(status)];
  }

  std::array<std::array<Count, (kEnd - kFirst) / 100 * kOfClass>, kKindsMax> answered_{};
};

}  // namespace wharf
