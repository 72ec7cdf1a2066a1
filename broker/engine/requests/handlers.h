// Handlers: what plans each request, by its type.
//
// A base class for each kind of request; used by the pipeline, on the shard's thread.
#pragma once

#include "broker/engine/requests/entity_handler.h"
#include "broker/engine/requests/job_handler.h"
#include "broker/engine/requests/number_handler.h"
#include "broker/engine/requests/peek_handler.h"
#include "broker/engine/requests/receive_handler.h"
#include "broker/engine/requests/rule_handler.h"
#include "broker/engine/requests/scheduled_handler.h"
#include "broker/engine/requests/send_handler.h"
#include "broker/engine/requests/session_handler.h"
#include "broker/engine/requests/settle_handler.h"
#include "broker/engine/requests/transaction_handler.h"

namespace wharf {

class Handlers : public SendHandler,
                 public SettleHandler,
                 public ReceiveHandler,
                 public PeekHandler,
                 public NumberHandler,
                 public ScheduledHandler,
                 public SessionHandler,
                 public TransactionHandler,
                 public EntityHandler,
                 public RuleHandler,
                 public JobHandler {
 public:
  Handlers(Shard& shard, const StoreReplies& from_store)
      : SendHandler(shard),
        SettleHandler(shard),
        ReceiveHandler(shard),
        PeekHandler(shard, from_store),
        NumberHandler(shard),
        ScheduledHandler(shard, from_store),
        SessionHandler(shard, from_store),
        TransactionHandler(shard),
        EntityHandler(shard),
        RuleHandler(shard, from_store),
        JobHandler(shard) {}

  using EntityHandler::Plan;
  using JobHandler::Plan;
  using NumberHandler::Plan;
  using PeekHandler::Plan;
  using ReceiveHandler::Plan;
  using RuleHandler::Plan;
  using ScheduledHandler::Plan;
  using SendHandler::Plan;
  using SessionHandler::Plan;
  using SettleHandler::Plan;
  using TransactionHandler::Plan;
};

}  // namespace wharf
