// FanOut: what sends that take effect in one turn make of topics: copies, what these hold in
// memory, and how many SQL filters are asked.
//
// An atomic send, a transaction, and one message of any send are done at one go, and none of it can
// be left for the next turn; so what would be too much is refused before it begins. Counted is what
// there may be at most: every subscription takes every message that is not for later, and every
// rule with an action matches it. A plain value; used on the shard's thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/topics/topics.h"
#include "storage/base/status.h"

namespace wharf {

struct FanOut {
  // Some 50 ms of filters.
  static constexpr std::size_t kCopiesMax = 262144;
  static constexpr std::size_t kFiltersMax = 262144;
  // Of rows and what they say; far below what the log takes (EntryAssembler::kBatchBytesMax), since
  // in memory it is there several times.
  static constexpr std::size_t kBytesMax = 128 * 1024 * 1024;
  // A copy's rows without its properties and body.
  static constexpr std::size_t kCopyBytes = 256;

  std::size_t copies = 0;
  std::size_t bytes = 0;
  std::size_t filters = 0;

  // Of a send to `queue`; nothing, if it is no topic.
  static FanOut Of(const Topics& topics, const Queue& queue, const std::vector<Message>& messages,
                   Timestamp now);
  // Of one message, also if it is for later.
  static FanOut OfOne(const Topics& topics, const Queue& queue, const Message& message);
  // The same of the one of them that makes the most.
  static FanOut OfLargest(const Topics& topics, const Queue& queue,
                          const std::vector<Message>& messages);

  void Add(const FanOut& more);
  // An error of this code if it is more than one turn may do. `what` makes it, and begins the
  // sentence: "an atomic send".
  Status Check(ErrorCode code, std::string_view what) const;
};

}  // namespace wharf
