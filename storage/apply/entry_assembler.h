// EntryAssembler: makes whole batches of committed entries.
//
// Parts of a large batch wait in memory for the last of them. Those whose last part never came,
// because their leader did not, are dropped by whatever begins behind them. The position that
// counts is the end of the last whole batch: a node that starts or installs a snapshot between two
// parts reads them all again. Every node sees the same entries, so all of them drop the same.
//
// Owned by a BatchApplier and used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "storage/apply/entry.h"
#include "storage/entry_log.h"

namespace wharf {

// One batch, or several small ones; or what a check asks, as it came.
struct WholeBatches {
  EntryHead head{};
  std::string payload{};
};

class EntryAssembler {
 public:
  // Nobody proposes a larger batch, and nobody takes one. Who plans batches has to stay far below:
  // one that is larger ends the log, and what is stored already may make it again at each start.
  static constexpr std::size_t kBatchBytesMax = std::size_t{1} << 30;

  // All nodes take the same.
  explicit EntryAssembler(std::size_t batch_bytes_max = kBatchBytesMax)
      : batch_bytes_max_(batch_bytes_max) {}

  // What the entry completes; none if its batch goes on, or if it takes no effect. A check between
  // the parts of a batch leaves them as they are. In the order of the log; an error is damage, for
  // all nodes alike.
  Result<std::optional<WholeBatches>> Add(const LogEntry& entry);

  // Parts wait for others: the position stays before the first of them.
  bool is_open() const { return open_.has_value(); }

 private:
  Result<std::optional<WholeBatches>> AddPart(const DecodedEntry& part);

  std::size_t batch_bytes_max_;
  // What was put together so far; its head is that of the last part.
  std::optional<WholeBatches> open_;
};

}  // namespace wharf
