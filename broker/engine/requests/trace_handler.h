// TraceHandler: tells where a message is: what a reader found in the store, and, in a later turn,
// what it waits for there.
//
// A page looks into so many entities, and at so many messages; nothing of it is a use of an entity.
// What a reader found may have changed by the turn that tells it: the turn has the last word of
// locks and sessions. A page is long, so that a reader tells it, as it tells a peek: the publisher
// has what others wait for. Owned by the pipeline, used on the shard's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/engine/background/job_runner.h"
#include "broker/engine/delivery/holders.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/reply.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/trace_reader.h"
#include "broker/requests/trace_requests.h"

namespace wharf {

class TraceHandler {
 public:
  TraceHandler(const WorkerContext& context, const EntityFinder& finder, const Holders& holders,
               const JobRunner& jobs, const StoreReplies& from_store)
      : context_(context),
        finder_(finder),
        holders_(holders),
        jobs_(jobs),
        from_store_(from_store) {}

  void Plan(Asked<TraceRequest> asked, Turn& turn);

 private:
  // An entity that a reader looks into.
  struct Named {
    EntityId id;
    std::string folded_path;
    std::string path;
  };
  // A page on its way.
  struct Page {
    Asked<TraceRequest> asked;
    std::vector<Named> named{};
    // There are entities behind the last one of the range.
    bool has_more = false;
    // Entities that were passed over: fenced.
    std::vector<std::string> fenced{};
    // Behind which the next page begins, once these are done.
    std::string last_path{};
  };

  Result<std::vector<Queue*>> EntitiesOf(const TraceRequest& request) const;
  static TraceRange RangeOf(const std::vector<Queue*>& entities, Timestamp now, Page& page);
  void Tell(Page page, const Result<TraceFindings>& found, Turn& turn) const;
  MessagePlace PlaceOf(Queue& queue, const FoundPlace& found, const Asker& asker,
                       Timestamp now) const;
  void AddLock(const Queue& queue, const FoundPlace& found, const Asker& asker, Timestamp now,
               MessagePlace& place) const;
  // Of the session that it waits in.
  static void AddSessionLock(const Queue& queue, const FoundPlace& found, const Asker& asker,
                             MessagePlace& place);

  const WorkerContext context_;
  const EntityFinder& finder_;
  const Holders& holders_;
  const JobRunner& jobs_;
  const StoreReplies from_store_;
};

}  // namespace wharf
