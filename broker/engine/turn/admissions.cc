#include "broker/engine/turn/admissions.h"

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

std::size_t Megabytes(std::size_t weight) { return weight * kBytesPerWeight >> 20; }

}  // namespace

Result<Admission> Admissions::Admit(std::size_t weight, Share share) {
  const std::size_t weight_max = share == Share::kSettling ? 2 * weight_max_ : weight_max_;
  std::size_t taken = *taken_;
  do {
    if (taken > 0 && taken + weight > weight_max) {
      return Status(ErrorCode::kServiceBusy,
                    "the broker has more requests waiting than it can take");
    }
  } while (!taken_->compare_exchange_weak(taken, taken + weight));
  NoteTaken(taken + weight);
  return Admission(taken_, weight);
}

// A busy broker may come there again and again: the log hears of it once in a while.
void Admissions::NoteTaken(std::size_t taken) {
  if (taken <= weight_max_ / 2) {
    if (is_near_) is_near_ = false;
    return;
  }
  if (taken <= weight_max_ / 5 * 4 || is_near_.exchange(true)) return;
  const auto unsaid = near_log_.Admit();
  if (!unsaid) return;
  spdlog::warn(
      "requests that wait for their answers take {} of {} MB: beyond that callers hear "
      "ServiceBusy{}",
      Megabytes(taken), Megabytes(weight_max_), Unsaid(*unsaid));
}

}  // namespace wharf
