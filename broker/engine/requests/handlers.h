// Handlers: what plans each request, by its type.
//
// A base class for each kind of request; used by the pipeline, on the shard's thread.
#pragma once

#include "broker/engine/requests/access_handler.h"
#include "broker/engine/requests/check_handler.h"
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
#include "broker/engine/requests/trace_handler.h"
#include "broker/engine/requests/transaction_handler.h"
#include "broker/engine/workers.h"

namespace wharf {

class Handlers : public SendHandler,
                 public SettleHandler,
                 public ReceiveHandler,
                 public PeekHandler,
                 public TraceHandler,
                 public NumberHandler,
                 public ScheduledHandler,
                 public SessionHandler,
                 public TransactionHandler,
                 public EntityHandler,
                 public CheckHandler,
                 public RuleHandler,
                 public AccessHandler,
                 public JobHandler {
 public:
  Handlers(Workers& workers, const StoreReplies& from_store)
      : SendHandler(workers.context, workers.finder, workers.topics, workers.sends, workers.disk,
                    workers.agenda),
        SettleHandler(workers.context, workers.finder, workers.moves, workers.transactions,
                      workers.dispatcher.holders()),
        ReceiveHandler(workers.context, workers.finder, workers.dispatcher, workers.sessions),
        PeekHandler(workers.touched, workers.finder, workers.random, from_store),
        TraceHandler(workers.context, workers.finder, workers.dispatcher.holders(), workers.jobs,
                     from_store),
        NumberHandler(workers.context, workers.finder, workers.dispatcher.holders()),
        ScheduledHandler(workers.context, workers.finder, from_store),
        SessionHandler(workers.context, workers.finder, workers.sessions, workers.transactions,
                       workers.disk, from_store),
        TransactionHandler(workers.open, workers.transactions),
        EntityHandler(workers.context, workers.finder, workers.topics, workers.entities,
                      workers.access_rules, workers.closed_waits),
        CheckHandler(workers.context, workers.recounts),
        RuleHandler(workers.context, workers.topics, workers.entities, from_store),
        AccessHandler(workers.access_rules),
        JobHandler(workers.open, workers.jobs, workers.agenda) {}

  using AccessHandler::Plan;
  using CheckHandler::Plan;
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
  using TraceHandler::Plan;
  using TransactionHandler::Plan;
};

}  // namespace wharf
