// FanOut: what sends that take effect in one turn make of topics: copies, what these hold in
// memory, and how many SQL filters are asked.
//
// An atomic send and a transaction are done at one go, and none of it can be left for the next
// turn; so what would be too much is refused before it begins. Counted is what there may be at
// most: every subscription takes every message that is not for later. A plain value; used on the
// shard's thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/topics/topics.h"
#include "storage/base/status.h"

namespace wharf {

struct FanOut {
  // Some 100 MB of changes, and some 50 ms of filters.
  static constexpr std::size_t kCopiesMax = 262144;
  static constexpr std::size_t kFiltersMax = 262144;
  // Beside them.
  static constexpr std::size_t kBytesMax = 256 * 1024 * 1024;

  std::size_t copies = 0;
  std::size_t bytes = 0;
  std::size_t filters = 0;

  // Of a send to `queue`; nothing, if it is no topic.
  static FanOut Of(const Topics& topics, const Queue& queue, const std::vector<Message>& messages,
                   Timestamp now);

  void Add(const FanOut& more);
  // An error of this code if it is more than one turn may do. `what` makes it, and begins the
  // sentence: "an atomic send".
  Status Check(ErrorCode code, std::string_view what) const;
};

}  // namespace wharf
