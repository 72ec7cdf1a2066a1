// EntityHandler: plans what is asked of queues, topics and subscriptions themselves.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/engine/entities/access_rules.h"
#include "broker/engine/entities/closed_waits.h"
#include "broker/engine/entities/entities.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/entity_requests.h"
#include "broker/topics/topics.h"

namespace wharf {

class EntityHandler {
 public:
  EntityHandler(const WorkerContext& context, const EntityFinder& finder, const Topics& topics,
                Entities& entities, AccessRules& access_rules, ClosedWaits& closed_waits)
      : context_(context),
        finder_(finder),
        topics_(topics),
        entities_(entities),
        access_rules_(access_rules),
        closed_waits_(closed_waits) {}

  void Plan(Asked<CreateEntityRequest> asked, Turn& turn);
  void Plan(Asked<UpdateEntityRequest> asked, Turn& turn);
  void Plan(Asked<GetEntityRequest> asked, Turn& turn);
  void Plan(Asked<DeleteEntityRequest> asked, Turn& turn);
  void Plan(Asked<GetNamespaceRequest> asked, Turn& turn);
  void Plan(Asked<ListEntitiesRequest> asked, Turn& turn);
  void Plan(Asked<ListSubscriptionsRequest> asked, Turn& turn);
  void Plan(Asked<PurgeRequest> asked, Turn& turn);

  // `id` is that of the wait then, as long as it waits.
  void Plan(Asked<AwaitClosedRequest> asked, ClosedWaits::Id& id, Turn& turn);
  void EndWait(const ClosedWaits::Id& id, Turn& turn) { closed_waits_.End(id, turn); }

 private:
  QueueSnapshot SnapshotOf(const Queue& queue, bool shows_access_rules) const;
  Result<QueueSnapshot> SnapshotOf(const Result<Queue*>& queue, bool shows_access_rules) const;
  // Where its access rules cannot be had, nothing is made or changed.
  Result<Queue*> Create(Asked<CreateEntityRequest>& asked, Turn& turn);
  Result<Queue*> Update(Asked<UpdateEntityRequest>& asked, Turn& turn);
  // Without a kind: whatever it is.
  Result<Queue*> Find(std::optional<EntityKind> kind, const std::string& name) const;
  // Of these queues, of which one more than a page holds says that there are more.
  QueuePage PageOf(const std::vector<const Queue*>& queues, std::size_t count_max,
                   bool shows_access_rules = false) const;

  const WorkerContext context_;
  const EntityFinder& finder_;
  const Topics& topics_;
  Entities& entities_;
  AccessRules& access_rules_;
  ClosedWaits& closed_waits_;
};

}  // namespace wharf
