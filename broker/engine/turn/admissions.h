// Admissions: room for what was asked and is not answered yet.
//
// All requests of a shard together weigh no more than so much (requests/weight.h), whether they
// wait for their turn, for a reader or for the disk; what comes then hears ServiceBusy. Receivers,
// uploads and calls that wait give their room back when they are planned: each of these kinds has a
// bound of its own. Owned by the Shard; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "broker/requests/weight.h"
#include "storage/base/log_limit.h"
#include "storage/base/status.h"

namespace wharf {

// The room of one request; free again when this is gone.
class Admission {
 public:
  Admission() = default;
  Admission(std::shared_ptr<std::atomic<std::size_t>> taken, std::size_t weight)
      : taken_(std::move(taken)), weight_(weight) {}
  Admission(Admission&& other) noexcept
      : taken_(std::move(other.taken_)), weight_(std::exchange(other.weight_, 0)) {}
  Admission& operator=(Admission&& other) noexcept {
    std::swap(taken_, other.taken_);
    std::swap(weight_, other.weight_);
    return *this;
  }
  ~Admission() {
    if (taken_ != nullptr) *taken_ -= weight_;
  }

 private:
  // Shared, because an answer may be under way when the shard is gone.
  std::shared_ptr<std::atomic<std::size_t>> taken_;
  std::size_t weight_ = 0;
};

class Admissions {
 public:
  // Of everything together; settling may go to twice as much. One request that is heavier is
  // admitted when there is no other.
  explicit Admissions(std::size_t weight_max) : weight_max_(weight_max) {}

  Result<Admission> Admit(std::size_t weight, Share share = Share::kOrdinary);
  std::size_t taken() const { return *taken_; }
  std::size_t taken_max() const { return weight_max_; }
  // Four fifths of it were taken, and since then always more than half, as far as anybody asked.
  bool is_near() const { return is_near_ && *taken_ > weight_max_ / 2; }

 private:
  void NoteTaken(std::size_t taken);

  const std::size_t weight_max_;
  std::atomic<bool> is_near_ = false;
  LogLimit near_log_{std::chrono::minutes(1)};
  const std::shared_ptr<std::atomic<std::size_t>> taken_ =
      std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace wharf
