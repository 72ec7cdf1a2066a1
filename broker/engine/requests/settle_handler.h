// SettleHandler: plans how locks end or go on, and tells who holds which.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <optional>

#include "broker/core/queue.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/settle_requests.h"

namespace wharf {

class Shard;

class SettleHandler {
 public:
  explicit SettleHandler(Shard& shard) : shard_(shard) {}

  void Plan(Asked<SettleRequest> asked, Turn& turn);
  void Plan(Asked<RenewLockRequest> asked, Turn& turn);
  void Plan(Asked<ListLocksRequest> asked, Turn& turn);

 private:
  // A request on its way through its tokens.
  struct Settling {
    Asked<SettleRequest> asked;
    // What the next tokens need, as far as it was read.
    Contents contents = {};
    // Of the tokens that are settled.
    SettleReceipt receipt = {};
  };

  void Go(Settling settling, Turn& turn);
  void ReadThenGo(Settling settling, Turn& turn);
  static void Refuse(Settling settling, const Status& reason, Turn& turn);
  // The message that must be read before this token can be settled, if any.
  static std::optional<SequenceNumber> MissingContent(const Settling& settling, const Queue& queue,
                                                      LaneKind kind, const LockToken& token,
                                                      const Turn& turn);
  LockInfo InfoOf(const LockToken& token, const Lock& lock, std::size_t left);

  Shard& shard_;
};

}  // namespace wharf
