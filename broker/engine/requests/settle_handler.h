// SettleHandler: plans how locks end or go on, and tells which are held.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <optional>

#include "broker/core/queue/queue.h"
#include "broker/engine/delivery/holders.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/sending/move_line.h"
#include "broker/engine/sending/transactions.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/settle_requests.h"

namespace wharf {

class SettleHandler {
 public:
  SettleHandler(const WorkerContext& context, const EntityFinder& finder, MoveLine& moves,
                const Transactions& transactions, const Holders& holders)
      : context_(context),
        finder_(finder),
        moves_(moves),
        transactions_(transactions),
        holders_(holders) {}

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
  static std::optional<SequenceNumber> MissingContent(const Settling& settling, Queue& queue,
                                                      LaneKind kind, const LockToken& token,
                                                      const Turn& turn);
  LockInfo InfoOf(const LockToken& token, const Lock& lock, std::size_t left);

  const WorkerContext context_;
  const EntityFinder& finder_;
  MoveLine& moves_;
  const Transactions& transactions_;
  const Holders& holders_;
};

}  // namespace wharf
