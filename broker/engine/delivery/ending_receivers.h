// EndingReceivers: receivers that all end because of their lane, which is deleted or disabled, or
// cannot be read; or because the broker stops.
//
// A lane may have thousands, so they end a few in each turn. From the first of these turns on no
// such receiver counts as one of the lane, or gets anything; one that attaches meanwhile is not
// among them. Owned by the Dispatcher, used on the shard's thread.
#pragma once

#include <optional>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "broker/core/queue/lock_table.h"
#include "storage/base/status.h"

namespace wharf {

class EndingReceivers {
 public:
  using Receivers = absl::btree_set<HolderId>;

  // Of a lane whose receivers are ending already, these join the others, and end for their reason.
  void Add(LaneId lane, Receivers receivers, const Status& reason);
  // It ended, for this reason or another; whether it was here.
  bool Remove(LaneId lane, HolderId receiver);

  // The broker stops: all of all lanes are ending, also those that Add has not named yet, and
  // nothing attaches any more.
  void AddEveryone(const Status& reason);
  // Why, if so.
  const std::optional<Status>& everyone() const { return everyone_; }

  bool empty() const { return lanes_.empty(); }
  bool Has(LaneId lane) const { return everyone_ || lanes_.contains(lane); }
  bool Has(LaneId lane, HolderId receiver) const;

  struct Next {
    HolderId receiver;
    Status reason;
  };
  // Of those that were named; nothing: there are none.
  std::optional<Next> next() const;

 private:
  struct Ending {
    Receivers receivers;
    Status reason;
  };

  // None without receivers.
  absl::btree_map<LaneId, Ending> lanes_;
  std::optional<Status> everyone_;
};

}  // namespace wharf
