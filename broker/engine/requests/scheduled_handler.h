// ScheduledHandler: plans what is asked of scheduled messages.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/reply.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/scheduled_requests.h"

namespace wharf {

class ScheduledHandler {
 public:
  ScheduledHandler(const WorkerContext& context, const EntityFinder& finder,
                   const StoreReplies& from_store)
      : context_(context), finder_(finder), from_store_(from_store) {}

  void Plan(Asked<CancelScheduledRequest> asked, Turn& turn);
  void Plan(Asked<RescheduleRequest> asked, Turn& turn);
  void Plan(Asked<ActivateScheduledRequest> asked, Turn& turn);
  void Plan(Asked<ListScheduledRequest> asked, Turn& turn);

 private:
  using Then = absl::AnyInvocable<void(Result<Queue*>, FoundScheduled, Turn&)>;
  // A request whose messages are read.
  struct Lookup {
    EntityRef entity;
    Numbers numbers;
    Then then;
  };
  void LookUp(Lookup lookup, Turn& turn);
  void Read(std::shared_ptr<Lookup> lookup, Turn& turn);

  const WorkerContext context_;
  const EntityFinder& finder_;
  const StoreReplies from_store_;
};

}  // namespace wharf
