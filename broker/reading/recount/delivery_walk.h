// DeliveryWalk: what the table `delivery` says of the messages of one lane, number by number.
//
// Made by a Recount for each of its steps, on a reader thread; sees the store as it was at one
// instant.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/reading/row_walk.h"
#include "storage/store.h"

namespace wharf {

// Those that have rows there. Where a message has several the first one is believed, which delivers
// it soonest: it may come once more, and is never lost.
inline constexpr std::array kDeliveryStandings = {Standing::kQuarantined, Standing::kReturned,
                                                  Standing::kDeferred, Standing::kDelayed,
                                                  Standing::kLocked};

// The rows of one number: those that can be read, the one that is believed first; and those that
// cannot, or that may stand in a place that cannot be read.
struct FoundStandings {
  void Add(Standing standing, const Result<StandingRow>& row);
  bool empty() const { return readable.empty() && unreadable.empty(); }
  bool is_quarantined() const {
    return !readable.empty() && readable.front() == Standing::kQuarantined;
  }

  std::vector<Standing> readable;
  std::vector<Standing> unreadable;
  // As the first that can be read says.
  MessageFacts facts{};
};

class DeliveryWalk {
 public:
  DeliveryWalk(const StoreView& view, const Shelf& shelf, SequenceNumber from);

  // The lowest number of all; nothing if there is none.
  Result<std::optional<SequenceNumber>> Next();
  // Of a number that is not behind it, in ascending order.
  Result<FoundStandings> Take(SequenceNumber number);

  // One for each of kDeliveryStandings.
  const std::vector<RowWalk>& rows() const { return rows_; }

 private:
  std::vector<RowWalk> rows_;
};

// How a message stands; what cannot be read of that was mended before, if it was needed.
Result<Standing> StandingOf(const StoreView& view, const Shelf& shelf, SequenceNumber number);

}  // namespace wharf
