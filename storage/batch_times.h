// BatchTimes: where the times stand in the bytes of write batches, which tell one batch from the
// next.
//
// A turn writes its time last, so behind each a batch ends. A plain function.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "storage/base/time.h"

namespace wharf {

struct BatchTime {
  Timestamp time{};
  // Where it ends.
  std::size_t end = 0;
};

// Of one batch or several, in their order; none, if the bytes are no batches.
std::vector<BatchTime> TimesIn(std::string_view bytes);

}  // namespace wharf
