// ReceiveHandler: attaches receivers, those that stay and those that leave with one answer.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <memory>

#include "broker/engine/delivery/dispatcher.h"
#include "broker/engine/delivery/receiver.h"
#include "broker/engine/delivery/session_desk.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/receiver_link.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/receive_requests.h"

namespace wharf {

class ReceiveHandler {
 public:
  ReceiveHandler(const WorkerContext& context, const EntityFinder& finder, Dispatcher& dispatcher,
                 SessionDesk& sessions)
      : context_(context), finder_(finder), dispatcher_(dispatcher), sessions_(sessions) {}

  // `id` is that of its receiver then, as long as it waits.
  void Plan(Asked<ReceiveRequest> asked, HolderId& id, Turn& turn);
  void EndWait(HolderId id, Turn& turn);

  void Plan(Asked<AttachRequest> asked, std::shared_ptr<DeliverySink> sink, ReceiverLink& link,
            Turn& turn);

  // A chunk of a large body that was delivered could not be read.
  void PlanUnread(Asked<ReadBodyChunkRequest> asked, Status failed, Turn& turn);

 private:
  const WorkerContext context_;
  const EntityFinder& finder_;
  Dispatcher& dispatcher_;
  SessionDesk& sessions_;
};

}  // namespace wharf
