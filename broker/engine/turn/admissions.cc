#include "broker/engine/turn/admissions.h"

namespace wharf {

Result<Admission> Admissions::Admit(std::size_t weight, Share share) {
  const std::size_t weight_max = share == Share::kSettling ? 2 * weight_max_ : weight_max_;
  std::size_t taken = *taken_;
  do {
    if (taken > 0 && taken + weight > weight_max) {
      return Status(ErrorCode::kServiceBusy,
                    "the broker has more requests waiting than it can take");
    }
  } while (!taken_->compare_exchange_weak(taken, taken + weight));
  return Admission(taken_, weight);
}

}  // namespace wharf
